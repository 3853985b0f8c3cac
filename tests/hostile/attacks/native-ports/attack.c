long attack(void)
{
    return call(SYS_iopl, 3);
}
