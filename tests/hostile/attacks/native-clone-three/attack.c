long attack(void)
{
    unsigned long settings[8] = {0, 0, 0, 0, 17};
    return call(SYS_clone3, settings, sizeof settings);
}
