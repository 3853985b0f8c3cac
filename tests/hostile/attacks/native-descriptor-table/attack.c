long attack(void)
{
    return call(SYS_modify_ldt, 0, 0, 0);
}
