long attack(void)
{
    close(1);
    for (;;)
        pause();
}
