long attack(void)
{
    abort();
}
