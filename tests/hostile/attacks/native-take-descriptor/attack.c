long attack(void)
{
    return call(SYS_pidfd_getfd, 0, 0, 0);
}
