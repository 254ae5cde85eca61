#include "totals.h"

#include <stdlib.h>

#include "gang.h"

static void count_again(const struct engine *engine, const struct class *class,
                        struct total *total, int32_t node, bool apart)
{
    int32_t members = members_fitting(engine, class, node, apart);
    total->members += members - total->on_node[node];
    total->on_node[node] = members;
}

static void count_everywhere(const struct engine *engine, const struct class *class,
                             struct total *total, bool apart)
{
    int32_t nodes = engine->cluster.capacity;
    free(total->on_node);
    total->on_node = grown(NULL, 0, nodes > 0 ? nodes : 1, sizeof *total->on_node);
    total->nodes = nodes;
    total->members = 0;
    for (int32_t node = 0; node < engine->cluster.nodes; node++) {
        count_again(engine, class, total, node, apart);
    }
}

int64_t total_members(struct engine *engine, struct class *class, bool apart)
{
    const struct cluster *cluster = &engine->cluster;
    struct total *total = &class->row.totals[apart ? 1 : 0];
    if (total->on_node == NULL || total->nodes != cluster->capacity ||
        total->seen < cluster->log_start) {
        count_everywhere(engine, class, total, apart);
    } else {
        int64_t at = total->seen;
        for (int32_t node; (node = next_touched(cluster, &at)) >= 0;) {
            count_again(engine, class, total, node, apart);
        }
    }
    total->seen = cluster_now(cluster);
    return total->members;
}
