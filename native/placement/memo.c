#include "memo.h"

#include <stdlib.h>

#include "cluster.h"

enum { FIRST_ROOM = 1 << 10, MOST_ROOM = 1 << 20 };

static void sort(int32_t *residues, int32_t cards)
{
    for (int32_t i = 1; i < cards; i++) {
        int32_t moved = residues[i], at = i;
        for (; at > 0 && residues[at - 1] > moved; at--) {
            residues[at] = residues[at - 1];
        }
        residues[at] = moved;
    }
}

bool memo_key(struct memo_key *key, int32_t kind, int64_t cpu, int32_t *residues, int32_t cards)
{
    sort(residues, cards);
    if (cards > MEMO_CARDS || cpu < 0 || cpu >= 1 << 24 || kind >= (1 << 19) - 1) {
        return false;
    }
    uint64_t packed[2] = {0, 0};
    for (int32_t card = 0; card < cards; card++) {
        packed[card / 6] = packed[card / 6] << 10 | (uint64_t)residues[card];
    }
    key->low = packed[0];
    key->high = packed[1] << 43 | (uint64_t)cpu << 19 | (uint64_t)(kind + 1);
    return true;
}

static uint64_t hash_of(struct memo_key key)
{
    uint64_t mixed = (key.low ^ (key.high * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return mixed ^ (mixed >> 29);
}

static struct memo_entry *place_of(struct memo *memo, struct memo_key key)
{
    for (uint64_t at = hash_of(key);; at++) {
        struct memo_entry *entry = &memo->entries[at & (uint64_t)(memo->room - 1)];
        if (entry->key.high == 0 || (entry->key.low == key.low && entry->key.high == key.high)) {
            return entry;
        }
    }
}

static void enlarge(struct memo *memo)
{
    struct memo before = *memo;
    bool full = before.room >= MOST_ROOM;
    memo->room = full ? FIRST_ROOM : before.room > 0 ? before.room * 2 : FIRST_ROOM;
    memo->entries = grown(NULL, 0, memo->room, sizeof *memo->entries);
    memo->used = full ? 0 : before.used;
    for (int64_t at = 0; !full && at < before.room; at++) {
        if (before.entries[at].key.high != 0) {
            *place_of(memo, before.entries[at].key) = before.entries[at];
        }
    }
    free(before.entries);
}

struct memo_entry *memo_find(struct memo *memo, struct memo_key key)
{
    if (memo->used * 2 >= memo->room) {
        enlarge(memo);
    }
    struct memo_entry *entry = place_of(memo, key);
    if (entry->key.high == 0) {
        memo->used++;
    }
    return entry;
}

void memo_clear(struct memo *memo)
{
    free(memo->entries);
    *memo = (struct memo){0};
}
