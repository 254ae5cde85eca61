/* Worth: how much of a card with a residue, and a slice of CPU, is expected to stay idle.
 *
 * A table over residues in steps of 10 milli and slices in steps of half a core, up to 40 cores;
 * in 1/64 milli. Between slices it is linear. */
#ifndef SHOAL_WORTH_H
#define SHOAL_WORTH_H

#include <stdint.h>

struct engine;

enum {
    WORTH_ROWS = 101,    /* residues 0, 10, ... 1000 */
    WORTH_MILLI = 10,    /* from one row to the next */
    WORTH_COLUMNS = 81,  /* slices 0, 0.5, ... 40 cores */
    WORTH_MCPU = 500,    /* from one column to the next */
    WORTH_UNIT = 64,     /* to the milli */
};

/* The expected idle of a card, in 1/64 milli. */
static inline int64_t worth_at(const int32_t *table, int32_t residue, int64_t mcpu)
{
    const int32_t *row = table + residue / WORTH_MILLI * WORTH_COLUMNS;
    int64_t column = mcpu / WORTH_MCPU, beyond = mcpu % WORTH_MCPU;
    if (column >= WORTH_COLUMNS - 1) {
        return row[WORTH_COLUMNS - 1];
    }
    return (row[column] * (WORTH_MCPU - beyond) + row[column + 1] * beyond) / WORTH_MCPU;
}

/* Fills the table in closed form from the work that is expected: with what chance nothing more
 * comes that fits, and else what is left of the residue by what comes.
 *
 *     u(r, c) = [h r + sum p u(r - q, c - cpu)] / [h + sum p]     over work with q <= r, cpu <= c
 *
 * p is the part of the work with cards, cpu its CPU for one card in quarter cores, rounded up. */
void worth_prior(const struct engine *engine, int32_t *table);

#endif
