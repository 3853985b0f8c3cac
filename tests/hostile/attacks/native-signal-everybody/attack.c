long attack(void)
{
    return call(SYS_kill, -1, 0);
}
