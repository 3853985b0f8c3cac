long attack(void)
{
    exit(97);
}
