long attack(void)
{
    return ((long (*)(void))0xffffffffff600007)();
}
