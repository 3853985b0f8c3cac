long attack(void)
{
    return call(SYS_prctl, 4, 1, 0, 0, 0);
}
