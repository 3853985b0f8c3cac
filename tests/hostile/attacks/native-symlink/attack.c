long attack(void)
{
    return symlink(DATABASE, SHARED "/link");
}
