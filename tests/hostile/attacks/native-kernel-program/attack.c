long attack(void)
{
    return call(SYS_bpf, 0, 0, 0);
}
