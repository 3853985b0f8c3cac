long attack(void)
{
    return call(SYS_setuid, 0);
}
