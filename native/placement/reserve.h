/* Reserves: room that is scarce is kept for the work that can use nothing else.
 *
 * Three kinds. Room: nodes that could still take `count` cards with `milli` each and `cpu`, for
 * work at least as hard. CPU (no count): nodes that could still take `cpu`, for work without cards
 * that asks for as much. Scarce models (neither): what is left of the cards of some models, for
 * work that may use no others. A reserve is tight once the work that is expected for what is free,
 * and some times its spread, would use all of it; from then on a place that takes of it costs a
 * fine. */
#ifndef SHOAL_RESERVE_H
#define SHOAL_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct trial;

/* `demand` of `demand_of` milli-card that are asked for are in units of the reserve: rooms, or for
 * models milli-card; `alone` of them for just these models. `rooms` is by node what it has of them, `there` all together. */
struct reserve {
    int32_t count;
    int32_t milli;
    int64_t cpu;
    int64_t demand;
    int64_t demand_of;
    int64_t alone;
    int64_t spreads; /* standard deviations of what is expected that are provided for */
    int64_t fine; /* for a room, or for a milli-card: 1/64 milli */
    uint8_t *allows;
    int32_t *rooms;
    int64_t there;
    bool tight;
};

/* Brings all reserves up to what the cluster is now; nodes whose places are worth something else
 * since one became tight, or no longer is, count as touched. */
void reserves_refresh(struct engine *engine);

/* How much work waits for just the models of a node, for what there is of them: 100 where it is as
 * much as for cards in general. Of equal places the one with least pressure is taken. */
int64_t reserves_pressure(const struct engine *engine, int32_t node);

/* What a place costs by the reserves that are tight. */
int64_t reserves_fine(const struct engine *engine, const struct trial *trial);

#endif
