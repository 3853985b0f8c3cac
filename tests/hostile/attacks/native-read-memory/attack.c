long attack(void)
{
    char into[8];
    struct { void *at; size_t size; } own = {into, 8}, other = {(void *)0x400000, 8};
    return call(SYS_process_vm_readv, VICTIM, &own, 1, &other, 1, 0);
}
