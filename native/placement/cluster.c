#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WIDTH = 8, FIRST_NODES = 64, SHORTEST_LOG = 1 << 16, FIRST_JOURNAL = 1024 };

void *grown(void *memory, int64_t before, int64_t count, int64_t size)
{
    char *larger = realloc(memory, (size_t)(count * size));
    if (larger == NULL) {
        fputs("placement: out of memory\n", stderr);
        abort();
    }
    memset(larger + before * size, 0, (size_t)((count - before) * size));
    return larger;
}

void cluster_init(struct cluster *cluster)
{
    memset(cluster, 0, sizeof *cluster);
    cluster->width = FIRST_WIDTH;
}

/* The arrays by node, and by card. */
#define NODE_ARRAYS(of)                                                                           \
    of(present) of(cpu) of(memory) of(cpu_left) of(memory_left) of(cards) of(rank) of(kind)        \
        of(touched_at)
#define CARD_ARRAYS(of)                                                                           \
    of(milli_left) of(residue) of(mib_left) of(mib) of(model) of(numa) of(flags) of(users)         \
        of(barred)

void cluster_free(struct cluster *cluster)
{
#define FREE(array) free(cluster->array);
    NODE_ARRAYS(FREE)
    CARD_ARRAYS(FREE)
#undef FREE
    free(cluster->journal);
    free(cluster->touched);
}

static void *widened(void *memory, const struct cluster *cluster, int32_t width, size_t size)
{
    char *wider = grown(NULL, 0, (int64_t)cluster->capacity * width, (int64_t)size);
    for (int32_t node = 0; memory != NULL && node < cluster->nodes; node++) {
        memcpy(wider + (size_t)node * (size_t)width * size,
               (char *)memory + (size_t)node * (size_t)cluster->width * size,
               (size_t)cluster->width * size);
    }
    free(memory);
    return wider;
}

static void widen(struct cluster *cluster, int32_t width)
{
#define WIDEN(array)                                                                              \
    cluster->array = widened(cluster->array, cluster, width, sizeof *cluster->array);
    CARD_ARRAYS(WIDEN)
#undef WIDEN
    cluster->width = width;
}

static void make_room(struct cluster *cluster, int32_t nodes)
{
    int64_t before = cluster->capacity;
    if (nodes <= before) {
        return;
    }
    int64_t after = before > 0 ? before : FIRST_NODES;
    while (after < nodes) {
        after *= 2;
    }
#define GROW(array) cluster->array = grown(cluster->array, before, after, sizeof *cluster->array);
    NODE_ARRAYS(GROW)
#undef GROW
    cluster->capacity = (int32_t)after;
    widen(cluster, cluster->width);
}

void cluster_put_node(struct cluster *cluster, int32_t node, int64_t cpu, int64_t memory,
                      int32_t cards, int32_t rank, int32_t kind)
{
    make_room(cluster, node + 1);
    int32_t width = cluster->width;
    while (width < cards) {
        width *= 2;
    }
    if (width > cluster->width) {
        widen(cluster, width);
    }
    if (node >= cluster->nodes) {
        cluster->nodes = node + 1;
    }
    cluster->present[node] = 1;
    cluster->cpu[node] = cpu;
    cluster->memory[node] = memory;
    cluster->cpu_left[node] = cpu;
    cluster->memory_left[node] = memory;
    cluster->cards[node] = cards;
    cluster->rank[node] = rank;
    cluster->kind[node] = kind;
    cluster->layout++;
    cluster_touch(cluster, node);
}

void cluster_put_card(struct cluster *cluster, int32_t node, int32_t card, int32_t model,
                      int64_t mib, int32_t numa, int32_t flags)
{
    int64_t at = card_at(cluster, node, card);
    cluster->milli_left[at] = WHOLE;
    cluster->mib_left[at] = mib;
    cluster->mib[at] = mib;
    cluster->model[at] = model;
    cluster->numa[at] = numa;
    cluster->flags[at] = flags;
    cluster->users[at] = 0;
    cluster->barred[at] = 0;
    cluster->residue[at] = residue_of(cluster, at, WHOLE, mib);
}

void cluster_drop_node(struct cluster *cluster, int32_t node)
{
    cluster->present[node] = 0;
    cluster->cards[node] = 0;
    cluster->layout++;
    cluster_touch(cluster, node);
}

/* The first half of a long log is forgotten; who has not read it starts over. */
static void shorten_log(struct cluster *cluster)
{
    int64_t half = cluster->log_used / 2;
    cluster->log_start += half;
    cluster->log_used -= half;
    memmove(cluster->touched, cluster->touched + half,
            (size_t)cluster->log_used * sizeof *cluster->touched);
}

void cluster_touch(struct cluster *cluster, int32_t node)
{
    int64_t longest = (int64_t)cluster->capacity * 4;
    longest = longest > SHORTEST_LOG ? longest : SHORTEST_LOG;
    if (cluster->log_used >= longest) {
        shorten_log(cluster);
    }
    if (cluster->log_used == cluster->log_room) {
        int64_t room = cluster->log_room > 0 ? cluster->log_room * 2 : FIRST_JOURNAL;
        cluster->touched = grown(cluster->touched, cluster->log_room, room, sizeof(int32_t));
        cluster->log_room = room;
    }
    cluster->touched_at[node] = cluster_now(cluster);
    cluster->touched[cluster->log_used++] = node;
}

static void apply(struct cluster *cluster, const struct move *move, int32_t sign)
{
    if (move->card == NO_CARD) {
        cluster->cpu_left[move->node] -= sign * move->compute;
        cluster->memory_left[move->node] -= sign * move->memory;
    } else {
        int64_t at = card_at(cluster, move->node, move->card);
        cluster->milli_left[at] -= (int32_t)(sign * move->compute);
        cluster->mib_left[at] -= sign * move->memory;
        cluster->users[at] += sign * move->users;
        cluster->barred[at] += sign * move->barred;
        cluster->residue[at] =
            residue_of(cluster, at, cluster->milli_left[at], cluster->mib_left[at]);
    }
    cluster_touch(cluster, move->node);
}

void cluster_move(struct cluster *cluster, struct move move)
{
    if (cluster->journal_used == cluster->journal_room) {
        int64_t room = cluster->journal_room > 0 ? cluster->journal_room * 2 : FIRST_JOURNAL;
        cluster->journal = grown(cluster->journal, cluster->journal_room, room, sizeof move);
        cluster->journal_room = room;
    }
    cluster->journal[cluster->journal_used++] = move;
    apply(cluster, &move, 1);
}

void cluster_rollback(struct cluster *cluster, int64_t checkpoint)
{
    while (cluster->journal_used > checkpoint) {
        apply(cluster, &cluster->journal[--cluster->journal_used], -1);
    }
}
