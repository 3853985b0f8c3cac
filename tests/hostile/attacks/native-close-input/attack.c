long attack(void)
{
    close(0);
    for (;;)
        pause();
}
