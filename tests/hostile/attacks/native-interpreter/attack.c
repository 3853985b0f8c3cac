long attack(void)
{
    char *words[] = {"python3", "-c", "import sys; print('BREACH', file=sys.stderr)", 0};
    execve(PYTHON, words, environ);
    return -1;
}
