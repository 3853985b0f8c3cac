long attack(void)
{
    return call(SYS_kill, VICTIM, 0);
}
