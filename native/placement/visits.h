/* Visits: the states that cards went through in a run, to learn from what became of them. */
#ifndef SHOAL_VISITS_H
#define SHOAL_VISITS_H

#include <stdint.h>

struct engine;

/* A card had this residue and slice of CPU (mCPU). */
struct visit {
    int64_t at;
    int32_t residue;
    int32_t slice;
};

struct visits {
    struct visit *visit;
    int64_t used, room;
};

/* Notes the states of all cards of a node. */
void visits_note(struct engine *engine, int32_t node);

/* Adds to each cell of the table of worths that was visited what is left of the card now, and to
 * `counts` how often; what lies between two columns is split. In milli. */
void visits_sum(const struct engine *engine, double *sums, double *counts);

#endif
