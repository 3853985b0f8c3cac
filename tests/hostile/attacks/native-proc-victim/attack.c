long attack(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", VICTIM);
    return open(path, O_RDONLY);
}
