long attack(void)
{
    return call(SYS_unshare, 0x10000000);
}
