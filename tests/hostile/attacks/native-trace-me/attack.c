long attack(void)
{
    return call(SYS_ptrace, 0, 0, 0, 0);
}
