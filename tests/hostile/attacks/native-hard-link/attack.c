long attack(void)
{
    return link(OWNED, SHARED "/link");
}
