long attack(void)
{
    char into[256];
    return readlink(LINK, into, sizeof into);
}
