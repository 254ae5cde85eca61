/* The cluster: what is left of every node and card, in integers, with a journal.
 *
 * Arrays by node, and by card: card c of node n is at n * width + c. Every change of what is
 * left appends its inverse to the journal, so that a trial is rolled back instead of the
 * cluster being copied, and names the node in the change log, so that what was worked out about
 * other nodes stays right. What is left may be below 0 where more is held than a node that
 * shrank still has; then nothing there is free.
 *
 * The functions that may grow an array allocate, and end the process if there is no memory: a
 * few megabytes for thousands of nodes, long before which Python would have failed.
 */
#ifndef SHOAL_CLUSTER_H
#define SHOAL_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#define WHOLE 1000    /* milli-card */
#define MOST_CARDS 64 /* of one node: a set of them is a bit mask */
#define NO_CARD (-1)  /* in a move: the node itself */

enum card_flag {
    CARD_UNHEALTHY = 1, /* takes nothing new */
    CARD_MPS = 2,       /* its sharers are clients of one MPS server: no share over several cards */
};

/* A change of what is left: taken when positive, given back when negative. Of a node (card is
 * NO_CARD) compute is mCPU and memory MiB. */
struct move {
    int32_t node;
    int32_t card;
    int64_t compute;
    int64_t memory;
    int32_t users;
    int32_t barred;
};

/* `rank` orders equal nodes; `kind` is alike for nodes of the same cards and CPU. `barred` counts
 * the members of the gang being placed that keep others off a card. `touched` is the change log:
 * entry i is at position log_start + i; `touched_at` is a node's last position. `residue` is what
 * can still be had of a card, in milli: the lesser of compute and memory, 0 of a card that takes
 * nothing new. */
struct cluster {
    int32_t nodes;
    int32_t width;
    int32_t capacity;
    int64_t layout; /* counts nodes that came, changed or went */
    uint8_t *present;
    int64_t *cpu; /* that there is in all */
    int64_t *memory;
    int64_t *cpu_left;
    int64_t *memory_left;
    int32_t *cards;
    int32_t *rank;
    int32_t *kind;
    int32_t *milli_left;
    int32_t *residue;
    int64_t *mib_left;
    int64_t *mib;
    int32_t *model;
    int32_t *numa;
    int32_t *flags;
    int32_t *users;
    int32_t *barred;
    struct move *journal;
    int64_t journal_used, journal_room;
    int32_t *touched;
    int64_t *touched_at;
    int64_t log_start, log_used, log_room;
};

static inline int64_t cluster_now(const struct cluster *cluster)
{
    return cluster->log_start + cluster->log_used;
}

static inline int64_t card_at(const struct cluster *cluster, int32_t node, int32_t card)
{
    return (int64_t)node * cluster->width + card;
}

/* The residue of a card with so much of its compute and memory left. */
static inline int32_t residue_of(const struct cluster *cluster, int64_t at, int32_t milli,
                                 int64_t mib)
{
    if ((cluster->flags[at] & CARD_UNHEALTHY) != 0 || milli < 0 || mib < 0) {
        return 0;
    }
    int64_t whole = cluster->mib[at];
    if (mib == whole || whole == 0) {
        return milli;
    }
    int64_t memory = mib * WHOLE / whole;
    return (int32_t)(memory < milli ? memory : milli);
}

/* The next node that was touched at or after *at, each once at its last time; -1 after the last.
 * Moves *at on. What was forgotten of the log must have been looked for before. */
static inline int32_t next_touched(const struct cluster *cluster, int64_t *at)
{
    while (*at < cluster_now(cluster)) {
        int64_t now = (*at)++;
        int32_t node = cluster->touched[now - cluster->log_start];
        if (cluster->touched_at[node] == now) {
            return node;
        }
    }
    return -1;
}

void cluster_init(struct cluster *cluster);
void cluster_free(struct cluster *cluster);

/* Makes node `node` there (the slots below it too) with all of it left, in place of what was. */
void cluster_put_node(struct cluster *cluster, int32_t node, int64_t cpu, int64_t memory,
                      int32_t cards, int32_t rank, int32_t kind);
void cluster_put_card(struct cluster *cluster, int32_t node, int32_t card, int32_t model,
                      int64_t mib, int32_t numa, int32_t flags);
void cluster_drop_node(struct cluster *cluster, int32_t node);

/* Takes (or with negative numbers gives back) and notes it in the journal. */
void cluster_move(struct cluster *cluster, struct move move);
void cluster_rollback(struct cluster *cluster, int64_t checkpoint);
void cluster_touch(struct cluster *cluster, int32_t node);

/* `memory` grown to hold `count` items of `size` bytes; the new part is zero. */
void *grown(void *memory, int64_t before, int64_t count, int64_t size);

#endif
