/* Rows: what each class finds on every node, repaired only where nodes were touched since. */
#ifndef SHOAL_ROWS_H
#define SHOAL_ROWS_H

#include "engine.h"

/* The node where the class fits best, or -1. With a policy that shuffles: any that fits. */
int32_t best_node(struct engine *engine, struct class *class, struct found *found);

/* The nodes where the class fits, the best first, at most so many; how many they are. */
int32_t nodes_in_order(struct engine *engine, struct class *class, int32_t most, int32_t *nodes);

/* Forgets what the class found, for instance since another policy ranks. */
void row_free(struct row *row);

#endif
