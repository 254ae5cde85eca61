#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>

static const struct option FLAGS[] = {
    {"record-fd", required_argument, NULL, 'r'}, {"status-fd", required_argument, NULL, 's'},
    {"log", required_argument, NULL, 'l'},       {"log-bytes", required_argument, NULL, 'b'},
    {"log-files", required_argument, NULL, 'f'}, {"dir", required_argument, NULL, 'd'},
    {"grace", required_argument, NULL, 'g'},     {"oom", required_argument, NULL, 'o'},
    {"cgroup", required_argument, NULL, 'c'},    {NULL, 0, NULL, 0},
};

static bool number(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end = NULL;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *value >= least && *value <= most;
}

static bool small_number(const char *text, int least, int *value)
{
    int64_t wide = 0;
    bool good = number(text, least, INT32_MAX, &wide);
    *value = (int)wide;
    return good;
}

static bool take(struct options *options, int flag, char *text)
{
    switch (flag) {
    case 'r':
        return small_number(text, 3, &options->record_fd);
    case 's':
        return small_number(text, 3, &options->status_fd);
    case 'l':
        options->log = text;
        return true;
    case 'b':
        return number(text, 1, INT64_MAX, &options->log_bytes);
    case 'f':
        return small_number(text, 0, &options->log_files);
    case 'd':
        options->dir = text;
        return true;
    case 'g':
        return small_number(text, 0, &options->grace_seconds);
    case 'o':
        options->oom_file = text;
        return true;
    case 'c':
        if (options->cgroup_count == MOST_CGROUPS) {
            return false;
        }
        options->cgroups[options->cgroup_count++] = text;
        return true;
    default:
        return false;
    }
}

bool options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){.record_fd = -1, .status_fd = -1, .grace_seconds = 30};
    for (int flag; (flag = getopt_long(argc, argv, "+", FLAGS, NULL)) != -1;) {
        if (!take(options, flag, optarg)) {
            return false;
        }
    }
    options->program = argv + optind;
    return optind < argc && options->record_fd >= 0 && options->status_fd >= 0 &&
           options->log != NULL && options->log_bytes > 0;
}
