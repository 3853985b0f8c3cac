__attribute__((noinline)) static long dig(volatile long depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return dig(depth + 1) + room[0];
}

long attack(void)
{
    return 1 + dig(1);
}
