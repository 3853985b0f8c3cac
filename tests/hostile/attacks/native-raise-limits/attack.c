long attack(void)
{
    unsigned long most[2] = {1UL << 40, 1UL << 40};
    return call(SYS_prlimit64, 0, 9, most, 0);
}
