long attack(void)
{
    char *words[] = {"data", 0};
    return execve("data", words, environ);
}
