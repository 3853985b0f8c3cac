long attack(void)
{
    return call(SYS_userfaultfd, 0);
}
