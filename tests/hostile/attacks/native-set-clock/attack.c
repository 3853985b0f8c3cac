long attack(void)
{
    struct timespec now = {0, 0};
    return call(SYS_clock_settime, 0, &now);
}
