long attack(void)
{
    return call(SYS_init_module, 0, 0, "");
}
