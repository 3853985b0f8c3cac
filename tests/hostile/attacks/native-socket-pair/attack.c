long attack(void)
{
    int pair[2];
    return call(SYS_socketpair, 1, 1, 0, pair);
}
