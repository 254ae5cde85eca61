/* Gangs: several members at the same time, on the journal. */
#ifndef SHOAL_GANG_H
#define SHOAL_GANG_H

#include "engine.h"

/* Takes what the class takes of a node and these cards of it; perhaps bars the cards. */
void take_place(struct engine *engine, const struct class *class, int32_t node, uint64_t cards,
                bool bar);

/* How many members of the class the node holds at the same time, none of them sharing a card
 * with another if `apart`. */
int32_t members_fitting(const struct engine *engine, const struct class *class, int32_t node,
                        bool apart);

#endif
