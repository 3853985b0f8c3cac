long attack(void)
{
    return call(SYS_kill, SERVER, 0);
}
