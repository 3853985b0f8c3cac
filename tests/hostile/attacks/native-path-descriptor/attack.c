long attack(void)
{
    return open("/etc/passwd", O_PATH);
}
