/* Memo: what was worked out about a state of a node, by its kind, CPU and residues.
 *
 * States come back all the time, so that a value costs a look-up however long its formula is.
 * Bounded: it doubles up to a size, then forgets everything and starts over. */
#ifndef SHOAL_MEMO_H
#define SHOAL_MEMO_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMO_CARDS = 8 }; /* nodes with more cards are worked out each time */

/* The exact state in 128 bits; never both 0, which marks an empty entry. */
struct memo_key {
    uint64_t low;
    uint64_t high;
};

struct memo_entry {
    struct memo_key key;
    int64_t value;
};

struct memo {
    struct memo_entry *entries;
    int64_t room; /* a power of two */
    int64_t used;
};

/* Sorts the residues, then makes the key. False if the state does not fit into one. */
bool memo_key(struct memo_key *key, int32_t kind, int64_t cpu, int32_t *residues, int32_t cards);

/* The entry of the key, or the empty one where it belongs, which the caller fills at once. */
struct memo_entry *memo_find(struct memo *memo, struct memo_key key);

void memo_clear(struct memo *memo);

#endif
