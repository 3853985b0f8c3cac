long attack(void)
{
    return call(SYS_socket, 16, 3, 0);
}
