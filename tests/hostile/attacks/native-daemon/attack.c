long attack(void)
{
    return daemon(1, 1);
}
