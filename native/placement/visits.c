#include "visits.h"

#include "engine.h"

enum { FIRST_VISITS = 1 << 12 };

static void note(struct visits *visits, struct visit visit)
{
    if (visits->used == visits->room) {
        int64_t room = visits->room > 0 ? visits->room * 2 : FIRST_VISITS;
        visits->visit = grown(visits->visit, visits->room, room, sizeof visit);
        visits->room = room;
    }
    visits->visit[visits->used++] = visit;
}

void visits_note(struct engine *engine, int32_t node)
{
    const struct cluster *cluster = &engine->cluster;
    int64_t free = 0, cpu = cluster->cpu_left[node];
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        free += cluster->residue[card_at(cluster, node, card)];
    }
    for (int32_t card = 0; card < cluster->cards[node]; card++) {
        int64_t at = card_at(cluster, node, card);
        int32_t residue = cluster->residue[at];
        if (residue > 0) {
            int64_t slice = cpu > 0 ? cpu * residue / free : 0;
            note(&engine->visits, (struct visit){at, residue, (int32_t)slice});
        }
    }
}

void visits_sum(const struct engine *engine, double *sums, double *counts)
{
    for (int64_t i = 0; i < engine->visits.used; i++) {
        const struct visit *visit = &engine->visits.visit[i];
        double left = engine->cluster.residue[visit->at];
        int32_t column = visit->slice / WORTH_MCPU;
        double beyond = (double)(visit->slice % WORTH_MCPU) / WORTH_MCPU;
        if (column >= WORTH_COLUMNS - 1) {
            column = WORTH_COLUMNS - 1;
            beyond = 0;
        }
        int32_t cell = visit->residue / WORTH_MILLI * WORTH_COLUMNS + column;
        sums[cell] += left * (1 - beyond);
        counts[cell] += 1 - beyond;
        if (beyond > 0) {
            sums[cell + 1] += left * beyond;
            counts[cell + 1] += beyond;
        }
    }
}
