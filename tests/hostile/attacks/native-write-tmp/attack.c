long attack(void)
{
    return open("/tmp/" NAME, O_WRONLY | O_CREAT, 0600);
}
