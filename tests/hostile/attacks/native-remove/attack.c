long attack(void)
{
    return unlink(OWNED);
}
