long attack(void)
{
    return call(SYS_perf_event_open, 0, 0, -1, -1, 0);
}
