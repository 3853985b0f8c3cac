long attack(void)
{
    static char much[65536];
    memset(much, 'x', sizeof much);
    for (;;)
        if (write(1, much, sizeof much) < 0)
            return -1;
}
