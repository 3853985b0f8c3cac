long attack(void)
{
    static char settings[120];
    return call(SYS_io_uring_setup, 1, settings);
}
