#include "reserve.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "fit.h"

enum {
    FRACTION = 1024,   /* amounts of rooms have this many parts */
    NEVER_PERCENT = 3, /* of all cards stay idle in the end whatever is done */
    PRESSURE = 100 * 1000, /* 100, with three places */
    PRESSURE_UNIT = 1000
};

static bool of_models(const struct reserve *reserve)
{
    return reserve->count == 0 && reserve->cpu == 0;
}

static int32_t rooms_in(const struct reserve *reserve, int64_t cpu, const int32_t *residues,
                        int32_t cards)
{
    int32_t fitting = 0, free = 0;
    for (int32_t card = 0; card < cards; card++) {
        fitting += residues[card] >= reserve->milli;
        free += residues[card];
    }
    if (of_models(reserve)) {
        return free;
    }
    int64_t by_cpu = reserve->cpu > 0 ? cpu / reserve->cpu : INT32_MAX;
    int64_t by_cards = reserve->count > 0 ? fitting / reserve->count : by_cpu;
    int64_t rooms = by_cards < by_cpu ? by_cards : by_cpu;
    return rooms > 0 ? (int32_t)rooms : 0;
}

static bool concerns(const struct engine *engine, const struct reserve *reserve, int32_t node)
{
    if (reserve->count == 0 && reserve->cpu > 0) {
        return true;
    }
    return engine->cluster.cards[node] > 0 &&
           reserve->allows[engine->kind_models[engine->cluster.kind[node]]] != 0;
}

static void look(struct engine *engine, int32_t node)
{
    const struct cluster *cluster = &engine->cluster;
    const int32_t *residues = cluster->residue + card_at(cluster, node, 0);
    int32_t cards = cluster->present[node] ? cluster->cards[node] : 0;
    int64_t free = 0;
    for (int32_t card = 0; card < cards; card++) {
        free += residues[card];
    }
    engine->free_there += free - engine->free_milli[node];
    engine->free_milli[node] = free;
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        struct reserve *reserve = &engine->reserves[at];
        bool there = cluster->present[node] && concerns(engine, reserve, node);
        int32_t rooms =
            there ? rooms_in(reserve, cluster->cpu_left[node], residues, cards) : 0;
        reserve->there += rooms - reserve->rooms[node];
        reserve->rooms[node] = rooms;
    }
}

/* By model: the part of what is asked that is for sets of models with it, by the part of the cards
 * that those are. */
static void weigh_pressures(struct engine *engine)
{
    const struct cluster *cluster = &engine->cluster;
    memset(engine->pressure, 0, (size_t)engine->models * sizeof *engine->pressure);
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        const struct reserve *reserve = &engine->reserves[at];
        int64_t cards = 0;
        if (reserve->alone == 0) {
            continue;
        }
        for (int32_t node = 0; node < cluster->nodes; node++) {
            bool there = cluster->present[node] && concerns(engine, reserve, node);
            cards += there ? cluster->cards[node] : 0;
        }
        if (cards == 0) {
            continue;
        }
        int64_t pressure = reserve->alone * PRESSURE / reserve->demand_of;
        pressure = pressure * (engine->free_most / WHOLE) / cards;
        for (int32_t model = 0; model < engine->models; model++) {
            engine->pressure[model] += reserve->allows[model] != 0 ? pressure : 0;
        }
    }
}

static void look_everywhere(struct engine *engine)
{
    int32_t nodes = engine->cluster.capacity;
    free(engine->free_milli);
    engine->free_milli = grown(NULL, 0, nodes + 1, sizeof *engine->free_milli);
    engine->free_there = 0;
    engine->free_most = 0;
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        struct reserve *reserve = &engine->reserves[at];
        free(reserve->rooms);
        reserve->rooms = grown(NULL, 0, nodes + 1, sizeof *reserve->rooms);
        reserve->there = 0;
    }
    engine->reserves_layout = engine->cluster.layout;
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        look(engine, node);
        engine->free_most += (int64_t)engine->cluster.cards[node] * WHOLE;
        cluster_touch(&engine->cluster, node); /* pressures may have changed */
    }
    weigh_pressures(engine);
}

/* Whether what is expected, and its spread, would use the reserve up. */
static bool used_up(const struct engine *engine, const struct reserve *reserve)
{
    int64_t usable = engine->free_there - engine->free_most * NEVER_PERCENT / 100;
    if (usable <= 0 || reserve->there <= 0 || reserve->demand == 0) {
        return false;
    }
    int64_t unit = of_models(reserve) ? WHOLE : 1;
    int64_t expected = usable * reserve->demand / reserve->demand_of * FRACTION / unit;
    int64_t beyond = reserve->there * FRACTION / unit - expected;
    int64_t spread = beyond / reserve->spreads;
    return beyond <= 0 || spread * spread <= expected * FRACTION;
}

static void tighten(struct engine *engine, struct reserve *reserve, bool tight)
{
    reserve->tight = tight;
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        if (reserve->rooms[node] > 0) {
            cluster_touch(&engine->cluster, node);
        }
    }
}

void reserves_refresh(struct engine *engine)
{
    const struct cluster *cluster = &engine->cluster;
    if (engine->reserves_count == 0) {
        return;
    }
    if (engine->reserves_layout != cluster->layout || engine->reserves_seen < cluster->log_start) {
        look_everywhere(engine);
    } else if (engine->reserves_seen == cluster_now(cluster)) {
        return;
    } else {
        int64_t at = engine->reserves_seen;
        for (int32_t node; (node = next_touched(cluster, &at)) >= 0;) {
            look(engine, node);
        }
    }
    engine->tight_count = 0;
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        struct reserve *reserve = &engine->reserves[at];
        bool tight = used_up(engine, reserve);
        if (tight != reserve->tight) {
            tighten(engine, reserve, tight);
        }
        if (tight) {
            engine->tight[engine->tight_count++] = reserve;
        }
    }
    engine->reserves_seen = cluster_now(cluster);
}

/* Whether the class is one that the reserve is kept for. */
static bool is_for(const struct engine *engine, const struct reserve *reserve,
                   const struct class *class)
{
    if (reserve->count > 0) {
        return class->count >= reserve->count && class->milli >= reserve->milli &&
               class->cpu >= reserve->cpu;
    }
    if (reserve->cpu > 0) {
        return class->count == 0 && class->cpu >= reserve->cpu;
    }
    for (int32_t model = 0; model < engine->models; model++) {
        if (class->allows[model] != 0 && reserve->allows[model] == 0) {
            return false;
        }
    }
    return true;
}

int64_t reserves_pressure(const struct engine *engine, int32_t node)
{
    if (engine->cluster.cards[node] == 0) {
        return 0;
    }
    return engine->pressure[engine->kind_models[engine->cluster.kind[node]]] / PRESSURE_UNIT;
}

int64_t reserves_fine(const struct engine *engine, const struct trial *trial)
{
    int64_t fine = 0;
    for (int32_t at = 0; at < engine->tight_count; at++) {
        const struct reserve *reserve = engine->tight[at];
        if (reserve->rooms[trial->node] == 0 || is_for(engine, reserve, trial->class)) {
            continue;
        }
        int32_t before =
            rooms_in(reserve, trial->cpu_before, trial->before, trial->cards);
        int32_t after = rooms_in(reserve, trial->cpu, trial->after, trial->cards);
        fine += after < before ? (before - after) * reserve->fine : 0;
    }
    return fine;
}
