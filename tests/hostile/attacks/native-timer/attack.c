long attack(void)
{
    return call(SYS_timer_create, 0, 0, 0);
}
