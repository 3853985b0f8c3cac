long attack(void)
{
    for (volatile long count = 0;; count++)
        continue;
}
