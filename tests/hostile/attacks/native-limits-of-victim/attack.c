long attack(void)
{
    unsigned long found[2];
    return call(SYS_prlimit64, VICTIM, 9, 0, found);
}
