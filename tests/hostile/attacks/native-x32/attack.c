long attack(void)
{
    return call(0x40000000 + SYS_getpid);
}
