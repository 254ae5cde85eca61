/* What Python calls, by ctypes: src/shoal/core/engine/native.py declares the same functions.
 *
 * One thread at a time per engine; the interpreter's lock is not held meanwhile. Arguments are
 * checked there, not here. */
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "gang.h"
#include "links.h"
#include "policies/policies.h"
#include "rows.h"
#include "tally.h"

/* In the order of `shoal.core.engine.policy.Policy`. */
static const policy POLICIES[] = {binpack,   spread,        best_fit,     dot_product,
                                  any_place, fragmentation, fgd_published, idle_value};

EXPORT struct engine *engine_new(int32_t models)
{
    struct engine *engine = grown(NULL, 0, 1, sizeof *engine);
    cluster_init(&engine->cluster);
    engine->policy = binpack;
    engine->models = models;
    engine->pressure = grown(NULL, 0, models + 1, sizeof *engine->pressure);
    engine->worth = grown(NULL, 0, WORTH_ROWS * WORTH_COLUMNS, sizeof *engine->worth);
    engine->worth_step = 1;
    return engine;
}

static void forget_work(struct engine *engine)
{
    for (int32_t at = 0; at < engine->works; at++) {
        free(engine->work[at].allows);
    }
    free(engine->work);
    engine->work = NULL;
    engine->works = 0;
}

static void forget_reserves(struct engine *engine)
{
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        free(engine->reserves[at].allows);
        free(engine->reserves[at].rooms);
    }
    free(engine->reserves);
    free(engine->tight);
    engine->reserves = NULL;
    engine->reserves_count = 0;
    engine->tight = NULL;
    engine->tight_count = 0;
    engine->reserves_layout = -1;
}

EXPORT void engine_free(struct engine *engine)
{
    for (int32_t at = 0; at < engine->classes_room; at++) {
        free(engine->classes[at].allows);
        free(engine->classes[at].suits);
        row_free(&engine->classes[at].row);
    }
    for (int32_t kind = 0; kind < engine->kinds_room; kind++) {
        free(engine->links[kind]);
    }
    forget_work(engine);
    forget_reserves(engine);
    free(engine->free_milli);
    free(engine->worth);
    free(engine->pressure);
    free(engine->visits.visit);
    memo_clear(&engine->memo);
    cluster_free(&engine->cluster);
    free(engine->classes);
    free(engine->links);
    free(engine->kind_models);
    free(engine->steps);
    free(engine);
}

EXPORT void put_node(struct engine *engine, int32_t node, int64_t cpu, int64_t memory,
                     int32_t cards, int32_t rank, int32_t kind)
{
    cluster_put_node(&engine->cluster, node, cpu, memory, cards, rank, kind);
}

EXPORT void put_card(struct engine *engine, int32_t node, int32_t card, int32_t model, int64_t mib,
                     int32_t numa, int32_t flags)
{
    cluster_put_card(&engine->cluster, node, card, model, mib, numa, flags);
}

EXPORT void drop_node(struct engine *engine, int32_t node)
{
    cluster_drop_node(&engine->cluster, node);
}

/* `bandwidths` has a row of `cards` for each card, or is NULL where links are unknown. */
EXPORT void put_kind(struct engine *engine, int32_t kind, int32_t model, int32_t cards,
                     const int32_t *bandwidths)
{
    if (kind >= engine->kinds_room) {
        int32_t room = kind * 2 + 8;
        engine->links = grown(engine->links, engine->kinds_room, room, sizeof *engine->links);
        engine->kind_models =
            grown(engine->kind_models, engine->kinds_room, room, sizeof *engine->kind_models);
        engine->kinds_room = room;
    }
    engine->kind_models[kind] = model;
    free(engine->links[kind]);
    engine->links[kind] = NULL;
    if (bandwidths != NULL) {
        int32_t *links = grown(NULL, 0, MOST_CARDS * MOST_CARDS, sizeof *links);
        for (int32_t card = 0; card < cards; card++) {
            memcpy(links + card * MOST_CARDS, bandwidths + card * cards,
                   (size_t)cards * sizeof *links);
        }
        engine->links[kind] = links;
    }
}

static void copy_bytes(uint8_t **to, const uint8_t *from, int32_t count)
{
    free(*to);
    *to = grown(NULL, 0, count > 0 ? count : 1, 1);
    memcpy(*to, from, (size_t)count);
}

/* `allows` has a byte for every model; which nodes suit is told afterwards. */
EXPORT void put_class(struct engine *engine, int32_t id, int64_t cpu, int64_t memory,
                      int32_t count, int32_t milli, int64_t mib, int32_t level, int32_t one_numa,
                      const uint8_t *allows)
{
    if (id >= engine->classes_room) {
        int32_t room = id * 2 + 16;
        engine->classes =
            grown(engine->classes, engine->classes_room, room, sizeof *engine->classes);
        engine->classes_room = room;
    }
    struct class *class = &engine->classes[id];
    row_free(&class->row);
    class->cpu = cpu;
    class->memory = memory;
    class->count = count;
    class->milli = milli;
    class->mib = mib;
    class->level = level != 0;
    class->one_numa = one_numa != 0;
    copy_bytes(&class->allows, allows, engine->models);
}

/* `suits` has a byte for each of the first `nodes` nodes. */
EXPORT void put_suits(struct engine *engine, int32_t id, const uint8_t *suits, int32_t nodes)
{
    copy_bytes(&engine->classes[id].suits, suits, nodes);
    engine->classes[id].suits_count = nodes;
    row_free(&engine->classes[id].row);
}

/* Whether one node suits; the node is looked at again. */
EXPORT void put_suit(struct engine *engine, int32_t id, int32_t node, int32_t suits)
{
    struct class *class = &engine->classes[id];
    if (node >= class->suits_count) {
        class->suits = grown(class->suits, class->suits_count, node * 2 + 1, 1);
        class->suits_count = node * 2 + 1;
    }
    class->suits[node] = suits != 0;
    cluster_touch(&engine->cluster, node);
}

EXPORT void drop_class(struct engine *engine, int32_t id)
{
    struct class *class = &engine->classes[id];
    free(class->allows);
    free(class->suits);
    row_free(&class->row);
    memset(class, 0, sizeof *class);
}

static void forget_rows(struct engine *engine)
{
    for (int32_t id = 0; id < engine->classes_room; id++) {
        row_free(&engine->classes[id].row);
    }
    memo_clear(&engine->memo);
}

EXPORT void set_policy(struct engine *engine, int32_t number, const int64_t *steps, int32_t count)
{
    engine->policy = POLICIES[number];
    engine->shuffles = engine->policy == any_place;
    engine->first_card = engine->policy == fgd_published;
    free(engine->steps);
    engine->steps = grown(NULL, 0, count > 0 ? count : 1, sizeof *engine->steps);
    memcpy(engine->steps, steps, (size_t)count * sizeof *steps);
    engine->steps_count = count;
    forget_rows(engine);
}

EXPORT void set_seed(struct engine *engine, uint64_t seed)
{
    engine->shuffle = seed;
}

/* Kinds of work side by side; `allows` has a row of bytes by model for each. */
EXPORT void set_work(struct engine *engine, int32_t count, const int64_t *cpu,
                     const int32_t *cards, const int32_t *milli, const int64_t *weight,
                     const uint8_t *allows)
{
    forget_work(engine);
    engine->work = grown(NULL, 0, count > 0 ? count : 1, sizeof *engine->work);
    engine->works = count;
    for (int32_t at = 0; at < count; at++) {
        engine->work[at] =
            (struct kind_of_work){cpu[at], cards[at], milli[at], weight[at], NULL};
        copy_bytes(&engine->work[at].allows, allows + (int64_t)at * engine->models, engine->models);
    }
    forget_rows(engine);
}

/* Works the table of worths out from the work that is expected. */
EXPORT void set_prior(struct engine *engine, int64_t step)
{
    worth_prior(engine, engine->worth);
    engine->worth_step = step;
    forget_rows(engine);
}

EXPORT void set_worth(struct engine *engine, const int32_t *worth, int64_t step)
{
    memcpy(engine->worth, worth, WORTH_ROWS * WORTH_COLUMNS * sizeof *worth);
    engine->worth_step = step;
    forget_rows(engine);
}

/* Reserves side by side; each has 8 numbers: count, milli, cpu, demand, demand_of,
 * alone, spreads, fine. */
EXPORT void set_reserves(struct engine *engine, int32_t count, const int64_t *numbers,
                         const uint8_t *allows)
{
    forget_reserves(engine);
    engine->reserves = grown(NULL, 0, count > 0 ? count : 1, sizeof *engine->reserves);
    engine->tight = grown(NULL, 0, count > 0 ? count : 1, sizeof *engine->tight);
    engine->reserves_count = count;
    for (int32_t at = 0; at < count; at++) {
        const int64_t *of = numbers + (int64_t)at * 8;
        engine->reserves[at] = (struct reserve){.count = (int32_t)of[0],
                                                .milli = (int32_t)of[1],
                                                .cpu = of[2],
                                                .demand = of[3],
                                                .demand_of = of[4],
                                                .alone = of[5],
                                                .spreads = of[6],
                                                .fine = of[7]};
        copy_bytes(&engine->reserves[at].allows, allows + (int64_t)at * engine->models,
                   engine->models);
    }
    forget_rows(engine);
}

EXPORT int64_t checkpoint(const struct engine *engine)
{
    return engine->cluster.journal_used;
}

EXPORT void rollback(struct engine *engine, int64_t checkpoint)
{
    cluster_rollback(&engine->cluster, checkpoint);
}

EXPORT void commit(struct engine *engine)
{
    engine->cluster.journal_used = 0;
}

EXPORT void take_card(struct engine *engine, int32_t node, int32_t card, int64_t milli,
                      int64_t mib, int32_t users, int32_t barred)
{
    cluster_move(&engine->cluster, (struct move){node, card, milli, mib, users, barred});
}

EXPORT void take_node(struct engine *engine, int32_t node, int64_t cpu, int64_t memory)
{
    cluster_move(&engine->cluster, (struct move){node, NO_CARD, cpu, memory, 0, 0});
}

EXPORT int32_t best(struct engine *engine, int32_t id, uint64_t *cards)
{
    struct found found = {{0, 0}, 0};
    int32_t node = best_node(engine, &engine->classes[id], &found);
    *cards = found.cards;
    return node;
}

EXPORT void take(struct engine *engine, int32_t id, int32_t node, uint64_t cards, int32_t bar)
{
    take_place(engine, &engine->classes[id], node, cards, bar != 0);
}

/* Places one member after the other, on the journal, until one has no place; how many had. */
EXPORT int32_t place(struct engine *engine, const int32_t *ids, int32_t count, int32_t apart,
                     int32_t *nodes, uint64_t *cards)
{
    for (int32_t at = 0; at < count; at++) {
        nodes[at] = best(engine, ids[at], &cards[at]);
        if (nodes[at] < 0) {
            return at;
        }
        take(engine, ids[at], nodes[at], cards[at], apart);
    }
    return count;
}

/* Places counts[i] members on nodes[i], on the journal, until one has no room; how many had. */
EXPORT int32_t fill(struct engine *engine, int32_t id, const int32_t *nodes, const int32_t *counts,
                    int32_t length, int32_t apart, uint64_t *cards)
{
    struct found found;
    int32_t placed = 0;
    for (int32_t at = 0; at < length; at++) {
        for (int32_t member = 0; member < counts[at]; member++) {
            reserves_refresh(engine);
            if (!evaluate(engine, &engine->classes[id], nodes[at], &found)) {
                return placed;
            }
            cards[placed++] = found.cards;
            take(engine, id, nodes[at], found.cards, apart);
        }
    }
    return placed;
}

/* Places one member where it fits best, on the journal; the node, or -1. */
EXPORT int32_t place_one(struct engine *engine, int32_t id, uint64_t *cards)
{
    int32_t node = best(engine, id, cards);
    if (node >= 0) {
        take(engine, id, node, *cards, 0);
    }
    return node;
}

/* Of several classes the one whose best place has the highest score (the first among equals), and
 * that place; -1 if none fits anywhere. */
EXPORT int32_t best_of(struct engine *engine, const int32_t *ids, int32_t count, int32_t *which,
                       uint64_t *cards)
{
    struct score most = {0, 0};
    int32_t chosen = -1;
    for (int32_t at = 0; at < count; at++) {
        struct found found;
        int32_t node = best_node(engine, &engine->classes[ids[at]], &found);
        if (node >= 0 && (chosen < 0 || better(found.score, most))) {
            most = found.score;
            chosen = node;
            *which = at;
            *cards = found.cards;
        }
    }
    return chosen;
}

/* Places the members one after the other; who fits nowhere is passed over. Final; all states that
 * cards are in before and meanwhile are noted. */
EXPORT int32_t run_noted(struct engine *engine, const int32_t *ids, int32_t count)
{
    int32_t placed = 0;
    uint64_t cards;
    engine->visits.used = 0;
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        visits_note(engine, node);
    }
    for (int32_t at = 0; at < count; at++) {
        int32_t node = place_one(engine, ids[at], &cards);
        commit(engine);
        if (node >= 0) {
            visits_note(engine, node);
            placed++;
        }
    }
    return placed;
}

EXPORT void sum_visits(const struct engine *engine, double *sums, double *counts)
{
    visits_sum(engine, sums, counts);
}

/* The cards of one node for the class; false if it does not fit there. */
EXPORT int32_t best_on(struct engine *engine, int32_t id, int32_t node, uint64_t *cards)
{
    struct found found = {{0, 0}, 0};
    reserves_refresh(engine);
    bool fits = evaluate(engine, &engine->classes[id], node, &found);
    *cards = found.cards;
    return fits;
}

EXPORT void count_members(const struct engine *engine, int32_t id, int32_t apart, int32_t *members)
{
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        members[node] = members_fitting(engine, &engine->classes[id], node, apart != 0);
    }
}

EXPORT void tally(const struct engine *engine, int32_t id, int32_t *lacks)
{
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        if (engine->cluster.present[node]) {
            lacks[what_lacks(engine, &engine->classes[id], node)]++;
        }
    }
}

EXPORT int64_t evaluations(const struct engine *engine)
{
    return engine->evaluations;
}

/* What is left of a node: CPU, memory, then per card compute, memory, users and bars. Returns the
 * number of cards; -1 if there is no such node. */
EXPORT int32_t node_left(const struct engine *engine, int32_t node, int64_t *left)
{
    const struct cluster *cluster = &engine->cluster;
    if (node >= cluster->nodes || !cluster->present[node]) {
        return -1;
    }
    *left++ = cluster->cpu_left[node];
    *left++ = cluster->memory_left[node];
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        int64_t at = card_at(cluster, node, card);
        *left++ = cluster->milli_left[at];
        *left++ = cluster->mib_left[at];
        *left++ = cluster->users[at];
        *left++ = cluster->barred[at];
    }
    return cluster->cards[node];
}
