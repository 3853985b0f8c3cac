long attack(void)
{
    static const unsigned char code[] = {0xb8, 41, 0, 0, 0, 0x0f, 0x05, 0xc3}; /* socket */
    void *page = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -1;
    memcpy(page, code, sizeof code);
    long got = ((long (*)(long, long, long))page)(1, 1, 0);
    errno = (int)-got;
    return got < 0 ? -1 : got;
}
