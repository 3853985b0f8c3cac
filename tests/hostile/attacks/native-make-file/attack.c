long attack(void)
{
    return open("mark", O_WRONLY | O_CREAT, 0600);
}
