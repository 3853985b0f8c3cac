long attack(void)
{
    return call(SYS_setsid);
}
