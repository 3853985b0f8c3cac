#include <pthread.h>

static void *wait_for_ever(void *nothing)
{
    pause();
    return nothing;
}

long attack(void)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (int count = 0; count < 200; count++) {
        pthread_t thread;
        int failed = pthread_create(&thread, &small, wait_for_ever, 0);
        if (failed) {
            errno = failed;
            return -1;
        }
    }
    return 200;
}
