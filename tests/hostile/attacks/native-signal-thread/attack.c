long attack(void)
{
    return call(SYS_tgkill, VICTIM, VICTIM, 0);
}
