#include "links.h"

#include <stddef.h>

#include "fit.h"

/* Sets of cards that are looked at on one node; beyond, the first cards are as good as any. */
enum { MOST_SETS = 20000 };

struct quality {
    int64_t least; /* bandwidth between two cards of the set */
    int64_t left;  /* bandwidth between the cards that remain, summed */
};

static uint64_t first_cards(uint64_t fitting, int32_t count)
{
    uint64_t cards = 0;
    for (; count > 0; count--) {
        cards |= fitting & -fitting;
        fitting &= fitting - 1;
    }
    return cards;
}

static struct quality quality_of(const int32_t *links, uint64_t set, uint64_t fitting)
{
    struct quality quality = {INT64_MAX, 0};
    for (uint64_t one = fitting; one != 0; one &= one - 1) {
        int32_t card = __builtin_ctzll(one);
        bool in_set = (set >> card & 1) != 0;
        for (uint64_t other = one & (one - 1); other != 0; other &= other - 1) {
            int32_t peer = __builtin_ctzll(other);
            int64_t width = links[card * MOST_CARDS + peer];
            if (in_set != ((set >> peer & 1) != 0)) {
                continue;
            }
            if (!in_set) {
                quality.left += width;
            } else if (width < quality.least) {
                quality.least = width;
            }
        }
    }
    return quality;
}

/* The next larger mask with as many bits (Gosper's hack, HAKMEM item 175). */
static uint64_t next_set(uint64_t set)
{
    uint64_t low = set & -set;
    uint64_t carried = set + low;
    return carried | (((set ^ carried) >> 2) / low);
}

/* Spreads the low bits of `packed` over the bits of `mask`. */
static uint64_t spread_bits(uint64_t packed, uint64_t mask)
{
    uint64_t spread = 0;
    for (; mask != 0; mask &= mask - 1, packed >>= 1) {
        if ((packed & 1) != 0) {
            spread |= mask & -mask;
        }
    }
    return spread;
}

static uint64_t best_linked(const int32_t *links, uint64_t fitting, int32_t count)
{
    int32_t there = __builtin_popcountll(fitting);
    uint64_t best = first_cards(fitting, count);
    if (count == there || there >= MOST_CARDS) {
        return best;
    }
    struct quality most = quality_of(links, best, fitting);
    uint64_t packed = (1ull << count) - 1;
    for (int32_t tries = 0; packed < 1ull << there && tries < MOST_SETS; tries++) {
        uint64_t set = spread_bits(packed, fitting);
        struct quality found = quality_of(links, set, fitting);
        if (found.least > most.least || (found.least == most.least && found.left > most.left)) {
            most = found;
            best = set;
        }
        packed = next_set(packed);
    }
    return best;
}

/* What is left over on a card, compute and memory in milli, once the class has its part. */
static int64_t left_over(const struct cluster *cluster, const struct class *class, int64_t at)
{
    int64_t whole = cluster->mib[at];
    int64_t memory = cluster->mib_left[at] - memory_on(class, whole);
    return cluster->milli_left[at] - class->milli + (whole > 0 ? memory * WHOLE / whole : 0);
}

static uint64_t fullest(const struct cluster *cluster, const struct class *class, int32_t node,
                        uint64_t fitting, int32_t count)
{
    uint64_t chosen = 0;
    for (; count > 0; count--) {
        int32_t best = -1;
        int64_t least = 0;
        for (uint64_t rest = fitting & ~chosen; rest != 0; rest &= rest - 1) {
            int32_t card = __builtin_ctzll(rest);
            int64_t at = card_at(cluster, node, card);
            int64_t weight = class->level ? -parts_left(cluster, class, at)
                                          : left_over(cluster, class, at);
            if (best < 0 || weight < least) {
                best = card;
                least = weight;
            }
        }
        chosen |= 1ull << best;
    }
    return chosen;
}

static uint64_t choose_among(const struct engine *engine, const struct class *class, int32_t node,
                             uint64_t fitting)
{
    int32_t kind = engine->cluster.kind[node];
    const int32_t *links = kind < engine->kinds_room ? engine->links[kind] : NULL;
    if (!whole_cards(class)) {
        return fullest(&engine->cluster, class, node, fitting, class->count);
    }
    if (links == NULL) {
        return first_cards(fitting, class->count);
    }
    return best_linked(links, fitting, class->count);
}

uint64_t choose_cards(const struct engine *engine, const struct class *class, int32_t node,
                      uint64_t fitting)
{
    if (class->count == 0) {
        return 0;
    }
    if (!class->one_numa) {
        return choose_among(engine, class, node, fitting);
    }
    /* Of the NUMA nodes that have enough, the one with fewest fitting cards. */
    uint64_t best = 0;
    for (uint64_t rest = fitting; rest != 0;) {
        uint64_t there = beside_first(&engine->cluster, node, rest);
        rest &= ~there;
        int32_t enough = __builtin_popcountll(there);
        if (enough >= class->count && (best == 0 || enough < __builtin_popcountll(best))) {
            best = there;
        }
    }
    return best == 0 ? 0 : choose_among(engine, class, node, best);
}
