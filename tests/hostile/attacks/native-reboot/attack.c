long attack(void)
{
    return call(SYS_reboot, 0, 0, 0, 0);
}
