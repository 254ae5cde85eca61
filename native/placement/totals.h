/* Totals: how many members of a class the cluster holds at the same time, kept right by looking
 * again only at nodes that were touched since. */
#ifndef SHOAL_TOTALS_H
#define SHOAL_TOTALS_H

#include "engine.h"

/* See members_fitting for `apart`. */
int64_t total_members(struct engine *engine, struct class *class, bool apart);

#endif
