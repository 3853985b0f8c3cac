long attack(void)
{
    long number = 20;
    __asm__ volatile("int $0x80" : "+a"(number));
    return number;
}
