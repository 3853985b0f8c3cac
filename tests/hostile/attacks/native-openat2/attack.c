long attack(void)
{
    unsigned long how[3] = {O_RDONLY};
    return call(437, AT_FDCWD, "/etc/passwd", how, sizeof how);
}
