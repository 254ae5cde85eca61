/* Which cards of a node a class takes, where it takes whole ones or parts of several. */
#ifndef SHOAL_LINKS_H
#define SHOAL_LINKS_H

#include "engine.h"

/* A set of `class->count` of the fitting cards; 0 if there is none (or none is asked).
 *
 * Whole cards: the set with the highest least bandwidth between two of its cards that leaves
 * most bandwidth between the other fitting cards; where no links are known, the first ones.
 * Parts: the fullest cards, or with `level` the emptiest. With `one_numa` all lie on one NUMA
 * node. */
uint64_t choose_cards(const struct engine *engine, const struct class *class, int32_t node,
                      uint64_t fitting);

#endif
