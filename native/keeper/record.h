/* The record: what became of one start of one container, in one disk sector.
 *
 * The agent creates it (state PREPARED, all bytes written and synced) and locks it before it
 * starts a keeper, which inherits the open file and with it the lock: whoever can take the lock
 * knows that no keeper lives. Every later write overwrites the same 512 bytes, so a full disk
 * cannot lose an exit. The reader is src/shoal/agent/record.py; the two change together.
 */
#ifndef SHOAL_RECORD_H
#define SHOAL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define RECORD_MAGIC "SHOALREC"
#define RECORD_VERSION 1u

enum record_state {
    STATE_PREPARED = 1,     /* nothing was started */
    STATE_STARTING = 2,     /* a keeper is there, the program is not yet */
    STATE_RUNNING = 3,      /* the program runs */
    STATE_EXITED = 4,       /* it ended, and so did everything that it started */
    STATE_START_FAILED = 5, /* it could not be started: see stage and error */
    STATE_LOST = 6,         /* written by the agent: keeper killed, or the machine rebooted */
};

enum record_stage {
    STAGE_NONE = 0,
    STAGE_FORK = 1,   /* no pipe, no process */
    STAGE_CGROUP = 2, /* could not join a control group */
    STAGE_CHDIR = 3,  /* the working folder */
    STAGE_EXEC = 4,   /* the program itself */
};

/* Times are nanoseconds since the epoch, *_boot_ns since the kernel was started; *_start are
 * clock ticks since then (field 22 of /proc/<pid>/stat), which together with a pid name a
 * process for ever. An end lies as long after its start as it took, however the clock was set
 * meanwhile. */
struct record {
    char magic[8];
    uint32_t version;
    uint32_t state;
    char boot_id[40];
    int32_t keeper_pid;
    int32_t program_pid;
    uint64_t keeper_start;
    uint64_t program_start;
    int64_t created_ns;
    int64_t started_ns;
    int64_t ended_ns;
    int32_t exit_code;
    int32_t signal;
    uint32_t stage;
    int32_t error;
    uint64_t oom_kills;
    uint64_t dropped_bytes; /* output that could not be logged */
    uint32_t stop_asked;    /* the end followed a SIGTERM or SIGUSR1 to the keeper */
    uint32_t unused;
    int64_t since_boot_ns;   /* when the pod's time began to count, by the agent */
    int64_t started_boot_ns; /* started_ns by the clock that nobody sets */
    uint8_t reserved[348];
    uint32_t checksum; /* CRC-32 of all bytes before it */
};

_Static_assert(sizeof(struct record) == 512, "the record is one disk sector");

/* Reads and checks a record. False with errno set; EBADMSG if it is not a record. */
bool record_read(int fd, struct record *record);

/* Writes the record in place; with `durable` it returns only once the disk has it. */
bool record_write(int fd, struct record *record, bool durable);

#endif
