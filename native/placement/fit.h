/* Fit: whether a class fits on a node, on which cards best, and how good that is. */
#ifndef SHOAL_FIT_H
#define SHOAL_FIT_H

#include "engine.h"

/* The cards of the node that could give the class its part of one card now, as a mask. */
uint64_t fitting_cards(const struct cluster *cluster, const struct class *class, int32_t node);

/* Whether a card of an allowed model, with enough left, gives the class its part. */
bool takes(const struct cluster *cluster, const struct class *class, int64_t at);

/* False if the class does not fit there. */
bool evaluate(struct engine *engine, const struct class *class, int32_t node,
              struct found *best);

/* MiB that the class takes of a card. */
int64_t memory_on(const struct class *class, int64_t mib);

static inline bool suits(const struct class *class, int32_t node)
{
    return node < class->suits_count && class->suits[node] != 0;
}

/* Those of the cards, of which there is one, that lie on the NUMA node of the first. */
uint64_t beside_first(const struct cluster *cluster, int32_t node, uint64_t cards);

/* How many such parts a card could still give. */
int64_t parts_left(const struct cluster *cluster, const struct class *class, int64_t at);

static inline bool whole_cards(const struct class *class)
{
    return class->milli == WHOLE && class->mib == 0;
}

#endif
