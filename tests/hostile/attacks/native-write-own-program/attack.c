long attack(void)
{
    return open("bot", O_WRONLY);
}
