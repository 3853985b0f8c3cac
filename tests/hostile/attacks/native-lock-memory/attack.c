long attack(void)
{
    return call(SYS_mlockall, 1);
}
