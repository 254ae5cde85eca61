/* Tally: of every node that a class does not fit on, the one thing that it lacks there. */
#ifndef SHOAL_TALLY_H
#define SHOAL_TALLY_H

#include "engine.h"

/* The order is the one in which they are looked for; src/shoal/core/engine/tally.py names them. */
enum lack {
    LACK_NOTHING,        /* it fits */
    LACK_SUITED,         /* the class may not go there at all */
    LACK_MODEL,          /* the node has too few cards of an allowed model */
    LACK_CARDS,          /* too few whole or different cards are free */
    LACK_CARD_MEMORY,    /* no card has that much memory free */
    LACK_CARD_COMPUTE,   /* no card has that much compute free besides the memory */
    LACK_CPU,
    LACK_MEMORY,
    LACK_KINDS
};

enum lack what_lacks(const struct engine *engine, const struct class *class, int32_t node);

#endif
