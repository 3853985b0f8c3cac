long attack(void)
{
    return truncate(OWNED, 0);
}
