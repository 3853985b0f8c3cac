long attack(void)
{
    return environ[0] ? 0 : -1;
}
