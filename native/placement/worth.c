#include "worth.h"

#include <stdlib.h>

#include "engine.h"

enum { QUARTER = 250, QUARTERS = (WORTH_COLUMNS - 1) * WORTH_MCPU / QUARTER + 1 };

static const double NOTHING_COMES = 0.02; /* h: the weight of no more work */

struct visitor {
    int32_t rows;
    int64_t quarters;
    double part;
};

static double expected(const double *idle, const struct visitor *visitors, int32_t count,
                       int32_t row, int32_t quarter)
{
    double sum = NOTHING_COMES * row * WORTH_MILLI, weight = NOTHING_COMES;
    for (int32_t at = 0; at < count; at++) {
        const struct visitor *visitor = &visitors[at];
        if (visitor->rows <= row && visitor->quarters <= quarter) {
            int64_t left = (row - visitor->rows) * QUARTERS + quarter - visitor->quarters;
            sum += visitor->part * idle[left];
            weight += visitor->part;
        }
    }
    return sum / weight;
}

static int32_t visitors_of(const struct engine *engine, struct visitor *visitors)
{
    int64_t total = 0;
    int32_t count = 0;
    for (int32_t at = 0; at < engine->works; at++) {
        total += engine->work[at].count > 0 ? engine->work[at].weight : 0;
    }
    for (int32_t at = 0; at < engine->works; at++) {
        const struct kind_of_work *work = &engine->work[at];
        if (work->count > 0 && work->milli > 0) {
            int64_t each = (work->cpu + work->count - 1) / work->count;
            visitors[count++] =
                (struct visitor){(work->milli + WORTH_MILLI - 1) / WORTH_MILLI,
                                 (each + QUARTER - 1) / QUARTER,
                                 (double)work->weight / (double)total};
        }
    }
    return count;
}

void worth_prior(const struct engine *engine, int32_t *table)
{
    struct visitor *visitors = grown(NULL, 0, engine->works + 1, sizeof *visitors);
    double *idle = grown(NULL, 0, WORTH_ROWS * QUARTERS, sizeof *idle);
    int32_t count = visitors_of(engine, visitors);
    for (int32_t row = 0; row < WORTH_ROWS; row++) {
        for (int32_t quarter = 0; quarter < QUARTERS; quarter++) {
            idle[row * QUARTERS + quarter] =
                row == 0 ? 0 : expected(idle, visitors, count, row, quarter);
        }
        for (int32_t column = 0; column < WORTH_COLUMNS; column++) {
            double idles = idle[row * QUARTERS + column * (WORTH_MCPU / QUARTER)];
            table[row * WORTH_COLUMNS + column] = (int32_t)(idles * WORTH_UNIT);
        }
    }
    free(visitors);
    free(idle);
}
