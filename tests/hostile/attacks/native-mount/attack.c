long attack(void)
{
    return call(SYS_mount, "none", "/", "tmpfs", 0, 0);
}
