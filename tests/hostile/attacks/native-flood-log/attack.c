long attack(void)
{
    static char much[65536];
    memset(much, 'x', sizeof much);
    for (;;)
        if (write(2, much, sizeof much) < 0)
            return -1;
}
