long attack(void)
{
    return call(SYS_pidfd_open, VICTIM, 0);
}
