long attack(void)
{
    return call(SYS_socket, 2, 1, 0);
}
