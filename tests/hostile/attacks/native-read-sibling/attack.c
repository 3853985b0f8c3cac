long attack(void)
{
    return open(SIBLING, O_RDONLY);
}
