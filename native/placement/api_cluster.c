/* What Python calls besides api.c for a cluster that lives: nodes that come and go in an order of
 * their own, and why what waits has no place. */
#include <string.h>

#include "engine.h"
#include "rows.h"
#include "survey.h"
#include "totals.h"

/* How the node ranks among equals from now on; the order of those that are there must not change,
 * so that what was found stays right. */
EXPORT void set_rank(struct engine *engine, int32_t node, int32_t rank)
{
    engine->cluster.rank[node] = rank;
}

static void allow_none_of_the_new(uint8_t **allows, int32_t before, int32_t models)
{
    if (*allows != NULL) {
        *allows = grown(*allows, before, models, 1);
    }
}

/* There are more numbers of card models from now on; nothing allows the new ones yet. */
EXPORT void set_models(struct engine *engine, int32_t models)
{
    int32_t before = engine->models;
    for (int32_t id = 0; id < engine->classes_room; id++) {
        allow_none_of_the_new(&engine->classes[id].allows, before, models);
    }
    for (int32_t at = 0; at < engine->works; at++) {
        allow_none_of_the_new(&engine->work[at].allows, before, models);
    }
    for (int32_t at = 0; at < engine->reserves_count; at++) {
        allow_none_of_the_new(&engine->reserves[at].allows, before, models);
    }
    engine->pressure =
        grown(engine->pressure, before + 1, models + 1, sizeof *engine->pressure);
    engine->models = models;
}

EXPORT void survey(const struct engine *engine, int32_t id, struct survey *told)
{
    survey_class(engine, &engine->classes[id], told);
}

EXPORT int32_t easiest(const struct engine *engine, int32_t id, int32_t node, int32_t most,
                       struct busy *busy)
{
    return easiest_cards(engine, &engine->classes[id], node, most, busy);
}

EXPORT int64_t total(struct engine *engine, int32_t id, int32_t apart)
{
    return total_members(engine, &engine->classes[id], apart != 0);
}

EXPORT int32_t best_nodes(struct engine *engine, int32_t id, int32_t most, int32_t *nodes)
{
    return nodes_in_order(engine, &engine->classes[id], most, nodes);
}

EXPORT int64_t position(const struct engine *engine)
{
    return cluster_now(&engine->cluster);
}

/* The nodes that were touched since a position, each once; -1 if that is forgotten. */
EXPORT int32_t touched_since(const struct engine *engine, int64_t since, int32_t *nodes)
{
    const struct cluster *cluster = &engine->cluster;
    int32_t count = 0;
    if (since < cluster->log_start) {
        return -1;
    }
    for (int32_t node; (node = next_touched(cluster, &since)) >= 0;) {
        nodes[count++] = node;
    }
    return count;
}
