long attack(void)
{
    fputs("{\"move\":\"a\"}\n", stdout);
    errno = EPERM;
    return -1;
}
