/* Survey: what there is of what a class asks for, and where most of it is, in one pass.
 *
 * Says why a class fits nowhere without a list of all nodes. Equal places go to the node of the
 * lowest rank, then to the first card. */
#ifndef SHOAL_SURVEY_H
#define SHOAL_SURVEY_H

#include "engine.h"

/* The most of something, and where; the node is -1 where there is nothing. */
struct most {
    int64_t amount;
    int64_t node;
    int64_t card;
};

/* In the order of `shoal.core.engine.spec.Survey`; of the nodes that suit the class. Cards are
 * those of an allowed model; `served` nodes have the cards now, whatever CPU and memory they
 * have; `memory` is that of the served nodes that have the CPU too, if there are any. */
struct survey {
    int64_t suited;
    int64_t allowed;
    int64_t fitting;
    int64_t served;
    struct most cards;
    struct most cpu;
    struct most memory;
    struct most card_compute; /* of the cards that have the memory */
    struct most card_memory;
    int64_t cpu_free, cpu_there, cpu_largest;
    int64_t memory_free, memory_there, memory_largest;
};

void survey_class(const struct engine *engine, const struct class *class, struct survey *survey);

/* A card that others use, and how much: compute and memory in milli. */
struct busy {
    int64_t held;
    int32_t node;
    int32_t card;
};

/* The `most` cards with least on them, of those that would do if nobody used them; on one node,
 * or on all where `node` is -1. How many there are; the least comes first. */
int32_t easiest_cards(const struct engine *engine, const struct class *class, int32_t node,
                      int32_t most, struct busy *busy);

#endif
