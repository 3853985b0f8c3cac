long attack(void)
{
    return rename(OWNED, SHARED "/renamed");
}
