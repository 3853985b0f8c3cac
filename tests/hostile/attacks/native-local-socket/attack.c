long attack(void)
{
    return call(SYS_socket, 1, 1, 0);
}
