long attack(void)
{
    return call(SYS_seccomp, 1, 0, 0);
}
