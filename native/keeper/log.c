#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

#define HEADER_LENGTH (STAMP_LENGTH + 10) /* " stdout F " */

/* Whole records on their way to the file, so that none is ever torn between two files. */
static struct {
    char bytes[2 * (HEADER_LENGTH + LOG_LONGEST_TEXT + 1)];
    size_t length;
    size_t text; /* of which the program's */
} pending;

static void open_file(struct log *log)
{
    struct stat status;
    log->fd = open(log->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    log->size = log->fd >= 0 && fstat(log->fd, &status) == 0 ? status.st_size : 0;
}

void log_open(struct log *log, const char *path, int64_t most_bytes, int older_files)
{
    *log = (struct log){.path = path, .most_bytes = most_bytes, .older_files = older_files};
    open_file(log);
}

static bool name_of(const struct log *log, int age, char *name)
{
    int length = age == 0 ? snprintf(name, PATH_MAX, "%s", log->path)
                          : snprintf(name, PATH_MAX, "%s.%d", log->path, age);
    return length > 0 && length < PATH_MAX;
}

static void rotate(struct log *log)
{
    static char from[PATH_MAX], to[PATH_MAX];
    close(log->fd);
    for (int age = log->older_files; age > 0; age--) {
        if (name_of(log, age - 1, from) && name_of(log, age, to)) {
            rename(from, to);
        }
    }
    if (log->older_files == 0) {
        unlink(log->path);
    }
    open_file(log);
    if (log->size > 0 && log->fd >= 0 && ftruncate(log->fd, 0) == 0) {
        log->size = 0; /* it could not be renamed: the bound matters more than old lines */
    }
}

/* Writes all or nothing; a torn tail is cut off again. */
static bool append(struct log *log, const char *bytes, size_t length)
{
    if (log->fd >= 0 && log->size > 0 && log->size + (int64_t)length > log->most_bytes) {
        rotate(log);
    }
    if (log->fd < 0) {
        open_file(log);
    }
    if (log->fd < 0) {
        return false;
    }
    size_t done = 0;
    while (done < length) {
        ssize_t put = pwrite(log->fd, bytes + done, length - done, log->size + (int64_t)done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            int ignored = ftruncate(log->fd, log->size);
            (void)ignored;
            return false;
        }
        done += (size_t)put;
    }
    log->size += (int64_t)length;
    return true;
}

static size_t put_header(char *bytes, int64_t now, enum log_stream stream, char tag)
{
    clock_stamp(now, bytes);
    memcpy(bytes + STAMP_LENGTH, stream == STREAM_STDOUT ? " stdout " : " stderr ", 8);
    bytes[STAMP_LENGTH + 8] = tag;
    bytes[STAMP_LENGTH + 9] = ' ';
    return HEADER_LENGTH;
}

static void tell_of_drops(struct log *log, int64_t now)
{
    char notice[HEADER_LENGTH + 80];
    size_t length = put_header(notice, now, STREAM_STDERR, 'F');
    length += (size_t)snprintf(notice + length, sizeof notice - length,
                               "[shoal] %llu bytes of output could not be written here\n",
                               (unsigned long long)log->untold_bytes);
    if (append(log, notice, length)) {
        log->untold_bytes = 0;
    }
}

static void flush(struct log *log, int64_t now)
{
    if (log->untold_bytes > 0) {
        tell_of_drops(log, now);
    }
    if (!append(log, pending.bytes, pending.length)) {
        log->dropped_bytes += pending.text;
        log->untold_bytes += pending.text;
    }
    pending.length = pending.text = 0;
}

static void add(struct log *log, int64_t now, enum log_stream stream, const char *text,
                size_t length, bool whole)
{
    if (pending.length + HEADER_LENGTH + length + 1 > sizeof pending.bytes) {
        flush(log, now);
    }
    pending.length += put_header(pending.bytes + pending.length, now, stream, whole ? 'F' : 'P');
    memcpy(pending.bytes + pending.length, text, length);
    pending.length += length;
    pending.bytes[pending.length++] = '\n';
    pending.text += length + (whole ? 1 : 0);
}

void log_write(struct log *log, enum log_stream stream, const char *text, size_t length)
{
    int64_t now = clock_now_ns();
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline != NULL ? newline : end;
        add(log, now, stream, text, (size_t)(stop - text), newline != NULL);
        text = newline != NULL ? newline + 1 : end;
    }
    flush(log, now);
}
