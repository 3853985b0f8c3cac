long attack(void)
{
    char *words[] = {"sh", "-c", "echo BREACH >&2", 0};
    return execve("/bin/sh", words, environ);
}
