long attack(void)
{
    return open("../../ladder.db", O_RDONLY);
}
