long attack(void)
{
    return chmod("data", 0777);
}
