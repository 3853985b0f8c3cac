long attack(void)
{
    return call(SYS_arch_prctl, 0x1001, 0x1000);
}
