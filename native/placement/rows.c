#include "rows.h"

#include <stdlib.h>

#include "fit.h"

static const uint64_t NOWHERE = UINT64_MAX; /* in found.cards: the class does not fit there */

void row_free(struct row *row)
{
    free(row->found);
    free(row->winner);
    free(row->totals[0].on_node);
    free(row->totals[1].on_node);
    *row = (struct row){0};
}

static bool wins(const struct engine *engine, const struct row *row, int32_t one, int32_t other)
{
    const struct score *a = &row->found[one].score, *b = &row->found[other].score;
    if (a->major != b->major) {
        return a->major > b->major;
    }
    if (a->minor != b->minor) {
        return a->minor > b->minor;
    }
    return engine->cluster.rank[one] < engine->cluster.rank[other];
}

static int32_t winner_of(const struct engine *engine, const struct row *row, int32_t place)
{
    int32_t one = row->winner[2 * place], other = row->winner[2 * place + 1];
    if (one < 0 || other < 0) {
        return one < 0 ? other : one;
    }
    return wins(engine, row, one, other) ? one : other;
}

static void look(struct engine *engine, const struct class *class, struct row *row,
                 int32_t node)
{
    bool fits = evaluate(engine, class, node, &row->found[node]);
    if (!fits) {
        row->found[node].cards = NOWHERE;
    }
    row->winner[row->leaves + node] = fits ? node : -1;
}

/* Carries what changed at a leaf up, as far as it matters. */
static void carry(const struct engine *engine, struct row *row, int32_t node)
{
    for (int32_t place = (row->leaves + node) / 2; place > 0; place /= 2) {
        int32_t before = row->winner[place];
        row->winner[place] = winner_of(engine, row, place);
        if (row->winner[place] == before && before != node) {
            return;
        }
    }
}

static void look_everywhere(struct engine *engine, const struct class *class, struct row *row)
{
    int32_t leaves = engine->cluster.capacity;
    if (row->leaves != leaves) {
        row_free(row);
        row->found = grown(NULL, 0, leaves, sizeof *row->found);
        row->winner = grown(NULL, 0, 2 * (int64_t)leaves, sizeof *row->winner);
        row->leaves = leaves;
    }
    for (int32_t node = 0; node < leaves; node++) {
        if (node < engine->cluster.nodes) {
            look(engine, class, row, node);
        } else {
            row->winner[leaves + node] = -1;
        }
    }
    for (int32_t place = leaves - 1; place > 0; place--) {
        row->winner[place] = winner_of(engine, row, place);
    }
}

static void repair(struct engine *engine, const struct class *class, struct row *row)
{
    int64_t at = row->seen;
    for (int32_t node; (node = next_touched(&engine->cluster, &at)) >= 0;) {
        look(engine, class, row, node);
        carry(engine, row, node);
    }
}

/* The next number of a splitmix64 sequence. */
static uint64_t shuffled(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static int32_t any_node(struct engine *engine, const struct row *row)
{
    int32_t chosen = -1;
    uint64_t seen = 0;
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        if (row->winner[row->leaves + node] >= 0 && shuffled(&engine->shuffle) % ++seen == 0) {
            chosen = node;
        }
    }
    return chosen;
}

/* Looks at what changed; false where there is no node at all. */
static bool refresh(struct engine *engine, struct class *class)
{
    struct row *row = &class->row;
    reserves_refresh(engine);
    bool too_old = row->seen < engine->cluster.log_start;
    if (row->leaves != engine->cluster.capacity || too_old) {
        look_everywhere(engine, class, row);
    } else {
        repair(engine, class, row);
    }
    row->seen = cluster_now(&engine->cluster);
    return row->leaves > 0;
}

int32_t best_node(struct engine *engine, struct class *class, struct found *found)
{
    struct row *row = &class->row;
    if (!refresh(engine, class)) {
        return -1;
    }
    int32_t node = engine->shuffles ? any_node(engine, row) : row->winner[1];
    if (node >= 0) {
        *found = row->found[node];
    }
    return node;
}

int32_t nodes_in_order(struct engine *engine, struct class *class, int32_t most, int32_t *nodes)
{
    struct row *row = &class->row;
    int32_t count = 0;
    if (!refresh(engine, class)) {
        return 0;
    }
    for (; count < most && row->winner[1] >= 0; count++) {
        nodes[count] = row->winner[1];
        row->winner[row->leaves + nodes[count]] = -1;
        carry(engine, row, nodes[count]);
    }
    for (int32_t at = 0; at < count; at++) {
        row->winner[row->leaves + nodes[at]] = nodes[at];
        carry(engine, row, nodes[at]);
    }
    return count;
}
