long attack(void)
{
    static char facts[128];
    return call(SYS_sysinfo, facts);
}
