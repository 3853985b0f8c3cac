long attack(void)
{
    return open("/", O_RDONLY | O_DIRECTORY);
}
