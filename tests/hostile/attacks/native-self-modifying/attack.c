__attribute__((noinline, aligned(16))) static long harmless(long a, long b, long c)
{
    return a + b * c + a * b * c + (a ^ c);
}

long attack(void)
{
    unsigned char *code = (unsigned char *)harmless;
    void *page = (void *)((unsigned long)code & ~4095UL);
    if (mprotect(page, 8192, 7))
        return -1;
    memcpy(code, (unsigned char[]){0xb8, 41, 0, 0, 0, 0x0f, 0x05, 0xc3}, 8); /* socket */
    long got = ((long (*volatile)(long, long, long))harmless)(1, 1, 0);
    errno = (int)-got;
    return got < 0 ? -1 : got;
}
