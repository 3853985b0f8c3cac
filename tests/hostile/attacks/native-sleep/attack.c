long attack(void)
{
    for (;;)
        pause();
}
