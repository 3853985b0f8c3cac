long attack(void)
{
    return call(SYS_ptrace, 0x4206, VICTIM, 0, 0);
}
