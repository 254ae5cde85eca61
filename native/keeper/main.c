/* shoal_keeper: the small parent of every program that shoal runs.
 *
 * It starts the program in its own session and control groups, logs its output, records durably
 * how it ended, and lives on when everything else of shoal is killed. See record.h for what it
 * leaves behind and keep.h for what it obeys.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "keep.h"
#include "oom.h"
#include "options.h"
#include "proc.h"
#include "record.h"
#include "start.h"

static void tell(int status_fd)
{
    ssize_t ignored = write(status_fd, "s", 1);
    (void)ignored;
    close(status_fd);
}

static void note_start(struct record *record)
{
    pid_t parent = 0;
    record->state = STATE_STARTING;
    record->keeper_pid = getpid();
    proc_stat(getpid(), &parent, &record->keeper_start);
}

static void note_running(struct record *record, pid_t program)
{
    pid_t parent = 0;
    record->state = STATE_RUNNING;
    record->program_pid = program;
    record->started_ns = clock_now_ns();
    record->started_boot_ns = clock_boot_ns();
    proc_stat(program, &parent, &record->program_start);
}

static void note_failed(struct record *record, const struct started *started)
{
    record->state = STATE_START_FAILED;
    record->stage = started->stage;
    record->error = started->error;
    record->started_ns = record->ended_ns = clock_now_ns();
}

static void note_ending(struct record *record, const struct ending *ending)
{
    record->state = STATE_EXITED;
    record->exit_code = ending->exit_code;
    record->signal = ending->signal;
    record->stop_asked = ending->stop_asked;
    record->dropped_bytes = ending->dropped_bytes;
    record->ended_ns = record->started_ns + clock_boot_ns() - record->started_boot_ns;
}

/* Only endings need the disk: the agent made the record durable before, and after a power cut
 * a new boot id says that whatever was running is not. */
static void write_or_retry(int fd, struct record *record, bool durable)
{
    for (int tries = 0; tries < 100 && !record_write(fd, record, durable); tries++) {
        usleep(100000);
    }
}

int main(int argc, char **argv)
{
    struct options options;
    struct record record;
    struct started started;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("shoal_keeper, records of version %u\n", RECORD_VERSION);
        return 0;
    }
    if (!options_parse(&options, argc, argv) || !record_read(options.record_fd, &record) ||
        record.state != STATE_PREPARED) {
        return 2;
    }
    proc_keep_descriptors();
    setsid();
    int signals = keep_signals();
    if (signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        return 3;
    }
    note_start(&record);
    write_or_retry(options.record_fd, &record, false);
    uint64_t kills_before = oom_kills(options.oom_file);
    if (!start_program(&options, &started)) {
        note_failed(&record, &started);
        write_or_retry(options.record_fd, &record, true);
        tell(options.status_fd);
        return 1;
    }
    note_running(&record, started.pid);
    write_or_retry(options.record_fd, &record, false);
    tell(options.status_fd);
    struct ending ending = keep(&options, started.pid, started.output, signals);
    uint64_t kills_after = oom_kills(options.oom_file);
    record.oom_kills = kills_after > kills_before ? kills_after - kills_before : 0;
    note_ending(&record, &ending);
    write_or_retry(options.record_fd, &record, true);
    return 0;
}
