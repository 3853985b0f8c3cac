long attack(void)
{
    return call(SYS_shmget, KEY, 4096, 01666);
}
