/* The policies, one file each. Each ranks a place by what would be left; see the files. */
#ifndef SHOAL_POLICIES_H
#define SHOAL_POLICIES_H

#include "engine.h"

struct score binpack(struct engine *engine, struct trial *trial);
struct score spread(struct engine *engine, struct trial *trial);
struct score best_fit(struct engine *engine, struct trial *trial);
struct score dot_product(struct engine *engine, struct trial *trial);
struct score any_place(struct engine *engine, struct trial *trial);
struct score fragmentation(struct engine *engine, struct trial *trial);
struct score fgd_published(struct engine *engine, struct trial *trial);
struct score idle_value(struct engine *engine, struct trial *trial);

/* What the trial gains by a valuation: of what is left after, less of what was there before. */
int64_t gain(struct engine *engine, struct trial *trial, valuation value);

/* How many of the engine's steps a gain reaches. */
int64_t quantised(const struct engine *engine, int64_t gain);

/* The quotient rounded down, for a divisor above 0. */
int64_t floored(int64_t value, int64_t by);

/* Milli-card that are left of all cards of the trial's node. */
int64_t cards_left(const struct trial *trial);

#endif
