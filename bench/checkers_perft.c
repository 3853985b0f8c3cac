/* Checkers perft in plain C: the yardstick of bench/engines.py. Same algorithm, own code.
   usage: checkers_perft DEPTH; compile with -DSIZE=10 for the larger board; prints the leaves and
   the CPU seconds. Layout of the bits: engines/games/checkers/board.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef SIZE
#define SIZE 8
#endif
#define NEAR (SIZE / 2)
#define FAR (SIZE / 2 + 1)
#define SQUARES (SIZE * SIZE / 2)
#define QUIET_LIMIT 80

typedef uint64_t board;
typedef struct { board mover, other, kings; int64_t seat, quiet; } state;

static board ALL, FIRST_CROWN, SECOND_CROWN;
static int64_t stack[8192];

static inline board lowest_bit(board b) { return b & -b; }
static inline int index_of(board b) { return __builtin_ctzll(b); }
static inline int count(board b) { return __builtin_popcountll(b); }

static inline board risers(const state *s) { return s->seat == 0 ? s->mover : s->mover & s->kings; }
static inline board fallers(const state *s) { return s->seat == 0 ? s->mover & s->kings : s->mover; }
static inline board crown_of(const state *s) { return s->seat == 0 ? FIRST_CROWN : SECOND_CROWN; }

static inline board jumpers(const state *s, board empty)
{
    board o = s->other;
    board up = ((o >> NEAR) & (empty >> 2 * NEAR)) | ((o >> FAR) & (empty >> 2 * FAR));
    board down = ((o << NEAR) & (empty << 2 * NEAR)) | ((o << FAR) & (empty << 2 * FAR));
    return (risers(s) & up) | (fallers(s) & down);
}

static inline board shift(board here, int way)
{
    if (way >= 2) return way == 2 ? here << NEAR : here << FAR;
    return way == 1 ? here >> NEAR : here >> FAR;
}

static inline int ways_from(board here, board victims, board vacant)
{
    int ways = 0;
    if ((here >> FAR) & victims & (vacant << FAR)) ways |= 1;
    if ((here >> NEAR) & victims & (vacant << NEAR)) ways |= 2;
    if ((here << NEAR) & victims & (vacant >> NEAR)) ways |= 4;
    if ((here << FAR) & victims & (vacant >> FAR)) ways |= 8;
    return ways;
}

typedef struct { board here, victims; int64_t path; int legs; } jump;

static inline void next_jump(jump *j, board vacant, int allowed, board crown)
{
    int ways = j->legs == 0 ? ways_from(j->here, j->victims, vacant) & allowed : 0;
    for (;;) {
        if (ways) {
            int way = __builtin_ctz(ways);
            board middle = shift(j->here, way);
            j->here = shift(middle, way);
            j->victims ^= middle;
            j->path |= (int64_t)way << 2 * j->legs;
            j->legs++;
            ways = j->here & crown ? 0 : ways_from(j->here, j->victims, vacant) & allowed;
            if (!ways) return;
        } else if (j->legs == 0) {
            return;
        } else {
            j->legs--;
            int way = j->path >> 2 * j->legs & 3;
            j->path ^= (int64_t)way << 2 * j->legs;
            board middle = shift(j->here, 3 - way);
            j->here = shift(middle, 3 - way);
            j->victims ^= middle;
            ways = ways_from(j->here, j->victims, vacant) & allowed & ~((2 << way) - 1);
        }
    }
}

static inline int ways_of(const state *s, board piece)
{
    return piece & s->kings ? 15 : s->seat == 0 ? 12 : 3;
}

static inline uint64_t leaves(const state *s)
{
    if (s->quiet >= QUIET_LIMIT) return 0;
    board empty = ALL & ~(s->mover | s->other), left = jumpers(s, empty);
    if (!left) {
        board up = risers(s), down = fallers(s);
        return count((up << NEAR) & empty) + count((up << FAR) & empty)
             + count((down >> NEAR) & empty) + count((down >> FAR) & empty);
    }
    uint64_t total = 0;
    for (; left; left &= left - 1) {
        board piece = lowest_bit(left);
        int allowed = ways_of(s, piece);
        jump j = { piece, s->other, 0, 0 };
        for (;;) {
            next_jump(&j, empty | piece, allowed, allowed == 15 ? 0 : crown_of(s));
            if (j.legs == 0) break;
            total++;
        }
    }
    return total;
}

static int moves(const state *s, int end)
{
    if (s->quiet >= QUIET_LIMIT) return end;
    board empty = ALL & ~(s->mover | s->other), left = jumpers(s, empty);
    if (!left) {
        for (int way = 0; way < 4; way++) {
            board pieces = (way >= 2 ? risers(s) : fallers(s)) & shift(empty, 3 - way);
            int distance = way == 1 || way == 2 ? NEAR : FAR;
            if (way < 2) distance = -distance;
            for (; pieces; pieces &= pieces - 1) {
                int origin = index_of(pieces);
                stack[end++] = (int64_t)(origin + distance) << 6 | origin;
            }
        }
        return end;
    }
    for (; left; left &= left - 1) {
        board piece = lowest_bit(left);
        int allowed = ways_of(s, piece), origin = index_of(piece);
        jump j = { piece, s->other, 0, 0 };
        for (;;) {
            next_jump(&j, empty | piece, allowed, allowed == 15 ? 0 : crown_of(s));
            if (j.legs == 0) break;
            stack[end++] = j.path << 17 | (int64_t)j.legs << 12 | index_of(j.here) << 6 | origin;
        }
    }
    return end;
}

static inline state play(const state *s, int64_t move)
{
    board start = 1ULL << (move & 63), landed = 1ULL << (move >> 6 & 63), taken = 0, here = start;
    int legs = move >> 12 & 31;
    int64_t path = move >> 17;
    for (int leg = 0; leg < legs; leg++, path >>= 2) {
        board middle = shift(here, path & 3);
        here = shift(middle, path & 3);
        taken |= middle;
    }
    int was_king = (s->kings & start) != 0;
    state next = { s->other & ~taken, (s->mover ^ start) | landed, s->kings & ~(start | taken),
                   1 - s->seat, was_king && legs == 0 ? s->quiet + 1 : 0 };
    if (was_king || landed & crown_of(s)) next.kings |= landed;
    return next;
}

static uint64_t perft(const state *s, int depth, int start)
{
    if (depth == 1) return leaves(s);
    int end = moves(s, start);
    uint64_t total = 0;
    for (int i = start; i < end; i++) {
        state next = play(s, stack[i]);
        total += depth == 2 ? leaves(&next) : perft(&next, depth - 1, end);
    }
    return total;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 10, men = 3 * SIZE / 2;
    state s = { 0, 0, 0, 0, 0 };
    for (int square = 0; square < SQUARES; square++) {
        board bit = 1ULL << (square + square / SIZE);
        ALL |= bit;
        if (square < SIZE / 2) SECOND_CROWN |= bit;
        if (square >= SQUARES - SIZE / 2) FIRST_CROWN |= bit;
        if (square < men) s.mover |= bit;
        if (square >= SQUARES - men) s.other |= bit;
    }
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    uint64_t total = perft(&s, depth, 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%llu %.6f\n", (unsigned long long)total,
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    return 0;
}
