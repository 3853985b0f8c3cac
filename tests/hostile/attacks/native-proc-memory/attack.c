long attack(void)
{
    return open("/proc/self/mem", O_RDONLY);
}
