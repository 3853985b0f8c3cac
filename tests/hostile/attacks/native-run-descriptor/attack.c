long attack(void)
{
    char *words[] = {"sh", "-c", "echo BREACH >&2", 0};
    return call(SYS_execveat, AT_FDCWD, "/bin/sh", words, environ, 0);
}
