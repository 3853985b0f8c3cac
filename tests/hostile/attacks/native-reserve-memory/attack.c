long attack(void)
{
    void *got = mmap(0, 4UL << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? -1 : 0;
}
