long attack(void)
{
    return open(DATABASE, O_RDONLY);
}
