long attack(void)
{
    return call(SYS_memfd_create, "program", 0);
}
