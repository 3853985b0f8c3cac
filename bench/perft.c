/* Reversi perft in plain C: the yardstick of bench/engines.py. Same algorithm, own code.
   usage: perft DEPTH; prints the leaves and the CPU seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t board;

static const board INNER = 0x7E7E7E7E7E7E7E7EULL;

static inline board reach(board mover, board inner, int shift)
{
    board up = inner & (mover << shift), down = inner & (mover >> shift);
    for (int i = 0; i < 5; i++) {
        up |= inner & (up << shift);
        down |= inner & (down >> shift);
    }
    return (up << shift) | (down >> shift);
}

static inline board placements(board mover, board other)
{
    board sideways = other & INNER;
    return (reach(mover, sideways, 1) | reach(mover, other, 8) | reach(mover, sideways, 7)
            | reach(mover, sideways, 9)) & ~(mover | other);
}

static inline board turned(board disc, board mover, board inner, int shift)
{
    board up = inner & (disc << shift), down = inner & (disc >> shift);
    for (int i = 0; i < 5; i++) {
        up |= inner & (up << shift);
        down |= inner & (down >> shift);
    }
    if (!((up << shift) & mover)) up = 0;
    if (!((down >> shift) & mover)) down = 0;
    return up | down;
}

static inline board flips(board disc, board mover, board other)
{
    board sideways = other & INNER;
    return turned(disc, mover, sideways, 1) | turned(disc, mover, other, 8)
         | turned(disc, mover, sideways, 7) | turned(disc, mover, sideways, 9);
}

static inline uint64_t leaves(board mover, board other)
{
    board left = placements(mover, other);
    return left ? (uint64_t)__builtin_popcountll(left) : 1;
}

static uint64_t perft(board mover, board other, int depth)
{
    if (depth == 1) return leaves(mover, other);
    board left = placements(mover, other);
    if (!left) return placements(other, mover) ? perft(other, mover, depth - 1) : 1;
    uint64_t total = 0;
    for (; left; left &= left - 1) {
        board disc = left & -left;
        board gained = flips(disc, mover, other);
        board us = other ^ gained, them = mover | disc | gained;
        total += depth == 2 ? leaves(us, them) : perft(us, them, depth - 1);
    }
    return total;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 9;
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    uint64_t leaves = perft(0x0000000810000000ULL, 0x0000001008000000ULL, depth);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%llu %.6f\n", (unsigned long long)leaves,
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    return 0;
}
