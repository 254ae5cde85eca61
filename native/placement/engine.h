/* The engine: one cluster, the request classes that were asked for, and the policy that ranks.
 *
 * Everything here depends on the node alone, never on names or time, so that what is known of a
 * node stays right until the node is touched.
 */
#ifndef SHOAL_ENGINE_H
#define SHOAL_ENGINE_H

#include "cluster.h"
#include "memo.h"
#include "reserve.h"
#include "visits.h"
#include "worth.h"

/* What Python may call. */
#define EXPORT __attribute__((visibility("default")))

/* Greater is better: major first, then minor, then the node of lower rank. */
struct score {
    int64_t major;
    int64_t minor;
};

static inline bool better(struct score one, struct score other)
{
    return one.major != other.major ? one.major > other.major : one.minor > other.minor;
}

/* The best way to place a class on a node: on these cards, and how good that is. */
struct found {
    struct score score;
    uint64_t cards;
};

/* How many members of a class every node holds, right up to position `seen` of the change log. */
struct total {
    int64_t seen;
    int64_t members;
    int32_t nodes; /* that have a place in the array */
    int32_t *on_node;
};

/* What a class found on every node, right up to position `seen` of the change log. `winner` is a
 * tournament over the nodes: leaf i at leaves + i, each inner place the better of its two. */
struct row {
    int64_t seen;
    int32_t leaves;
    struct found *found;
    int32_t *winner;
    struct total totals[2]; /* of members that may share cards, and of such that may not */
};

/* What is asked: CPU in mCPU, MiB, and `count` cards with `milli` and `mib` of each (0 MiB: as
 * much of the card's memory as of its compute). `suits` tells by node, `allows` by card model,
 * whether the class may go there at all. `level` takes the emptiest cards instead of the
 * fullest; `one_numa` wants all cards of one NUMA node. */
struct class {
    int64_t cpu;
    int64_t memory;
    int32_t count;
    int32_t milli;
    int64_t mib;
    bool level;
    bool one_numa;
    uint8_t *allows;
    uint8_t *suits;
    int32_t suits_count; /* nodes beyond do not suit */
    struct row row;
};

/* A node before and after a class was placed on it. Residues are what can still be had of each
 * card in milli: the lesser of compute and memory, 0 of a card that takes nothing new. */
struct trial {
    const struct class *class;
    int32_t node;
    int32_t cards;
    uint64_t taken;
    int64_t cpu;
    int64_t memory;
    int64_t cpu_before;
    int32_t before[MOST_CARDS];
    int32_t after[MOST_CARDS];
    int32_t milli[MOST_CARDS]; /* compute after */
    int64_t mib[MOST_CARDS];   /* memory after */
    int64_t value_before;      /* for a policy to keep what it worked out about the node */
    bool valued;
};

/* What else may come, for policies that keep room for it: `weight` tells how often, `allows` by
 * card model whether it may go there. */
struct kind_of_work {
    int64_t cpu;
    int32_t count;
    int32_t milli;
    int64_t weight;
    uint8_t *allows;
};

struct engine;

/* Ranks a place by what the trial would leave. */
typedef struct score (*policy)(struct engine *engine, struct trial *trial);

/* What a state of a node is worth; greater is better. Residues are sorted. */
typedef int64_t (*valuation)(const struct engine *engine, int32_t kind, int64_t cpu,
                             const int32_t *residues, int32_t cards);

/* `kind_models` are the models of a kind's cards, the model of the first for all. `steps` are the
 * gains at which a quantised score goes up by one, rising. `links` are by node kind the bandwidth
 * of pairs of cards, MOST_CARDS a row, or NULL where they are unknown. */
struct engine {
    struct cluster cluster;
    int32_t models; /* numbers of card models there are */
    struct class *classes;
    int32_t classes_room;
    policy policy;
    bool shuffles;   /* takes any node that fits */
    bool first_card; /* takes the first of equal cards, not the fullest */
    uint64_t shuffle;
    int32_t **links;
    int32_t *kind_models;
    int32_t kinds_room;
    struct kind_of_work *work;
    int32_t works;
    int64_t *steps;
    int32_t steps_count;
    struct memo memo;
    int32_t *worth; /* see worth.h */
    int64_t worth_step; /* gains are told apart by this much */
    struct reserve *reserves;
    int32_t reserves_count;
    struct reserve **tight; /* those that are */
    int32_t tight_count;
    int64_t reserves_layout; /* the cluster's when all nodes were looked at; -1: never */
    int64_t reserves_seen;  /* position in the change log */
    int64_t *pressure;      /* by model */
    int64_t *free_milli;    /* of a node's cards */
    int64_t free_there;
    int64_t free_most;      /* were nothing taken */
    struct visits visits;
    int64_t evaluations; /* of a class on a node, counted for benchmarks */
};

#endif
