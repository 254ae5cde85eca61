/* Log files in the format that Kubernetes container runtimes write, one record a line:
 *
 *   2026-11-30T19:13:00.123456789Z stdout F a whole line
 *   2026-11-30T19:13:00.123456789Z stderr P a part, continued by the next record
 *
 * Bounded: a file that is full is renamed to PATH.1, PATH.1 to PATH.2, and so on; the oldest
 * goes. What cannot be written (full disk) is dropped and counted, never waited for.
 */
#ifndef SHOAL_LOG_H
#define SHOAL_LOG_H

#include <stddef.h>
#include <stdint.h>

#define LOG_LONGEST_TEXT 16384 /* longer lines are split into parts */

enum log_stream { STREAM_STDOUT = 0, STREAM_STDERR = 1 };

struct log {
    const char *path;
    int64_t most_bytes;
    int older_files;
    int fd; /* -1 while it could not be opened */
    int64_t size;
    uint64_t dropped_bytes;  /* of the program's output, in all */
    uint64_t untold_bytes;   /* those no notice in the log tells of yet */
};

void log_open(struct log *log, const char *path, int64_t most_bytes, int older_files);

/* Logs at most LOG_LONGEST_TEXT bytes as they came from the program. */
void log_write(struct log *log, enum log_stream stream, const char *text, size_t length);

#endif
