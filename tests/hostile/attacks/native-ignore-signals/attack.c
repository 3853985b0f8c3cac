#include <signal.h>

long attack(void)
{
    for (int number = 1; number < 65; number++)
        signal(number, SIG_IGN);
    for (volatile long count = 0;; count++)
        continue;
}
