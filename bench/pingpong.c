/* Ping-pong of one message over two pipes between two processes on one core.
 * Usage: pingpong ROUNDS BYTES CORE; prints the median round trip in nanoseconds.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int rounds = atoi(argv[1]), bytes = atoi(argv[2]), there[2], back[2];
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(atoi(argv[3]), &core);
    if (sched_setaffinity(0, sizeof core, &core) || pipe(there) || pipe(back)) return 1;
    char *message = calloc(1, bytes);
    if (fork() == 0) {
        close(there[1]);
        while (read(there[0], message, bytes) > 0)
            if (write(back[1], message, bytes) != bytes) return 1;
        return 0;
    }
    close(there[0]);
    long *times = malloc(rounds * sizeof *times);
    for (int i = 0; i < rounds; i++) {
        long start = now_ns();
        if (write(there[1], message, bytes) != bytes) return 1;
        if (read(back[0], message, bytes) != bytes) return 1;
        times[i] = now_ns() - start;
    }
    qsort(times, rounds, sizeof *times, ascending);
    printf("%ld\n", times[rounds / 2]);
    return 0;
}
