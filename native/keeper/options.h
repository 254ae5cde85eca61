/* What the agent asks of a keeper, from the command line:
 *
 *   shoal_keeper --record-fd N --status-fd N --log PATH --log-bytes N --log-files N
 *                [--dir PATH] [--grace SECONDS] [--oom PATH] [--cgroup PATH]... -- PROGRAM [ARG]...
 *
 * The keeper's environment is the program's.
 */
#ifndef SHOAL_OPTIONS_H
#define SHOAL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_CGROUPS 8

struct options {
    int record_fd;        /* the locked record, see record.h */
    int status_fd;        /* one byte is written once the program runs or could not start */
    const char *log;      /* the newest log file; older ones end in .1, .2, ... */
    int64_t log_bytes;    /* most bytes of one log file */
    int log_files;        /* how many older ones are kept */
    const char *dir;      /* working folder, or NULL to stay */
    int grace_seconds;    /* between SIGTERM and SIGKILL, unless the SIGTERM says */
    const char *oom_file; /* memory.oom_control or memory.events, or NULL */
    const char *cgroups[MOST_CGROUPS]; /* cgroup.procs files that the program joins */
    int cgroup_count;
    char *const *program; /* NULL-terminated */
};

/* False when the arguments are not what the comment above says. */
bool options_parse(struct options *options, int argc, char **argv);

#endif
