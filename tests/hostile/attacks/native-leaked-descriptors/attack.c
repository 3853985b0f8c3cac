long attack(void)
{
    struct stat about;
    for (int number = 3; number < 4096; number++)
        if (fstat(number, &about) == 0)
            return number;
    return -1;
}
