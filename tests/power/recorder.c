/* Preloaded into a process: records what it writes below a folder, and what it has synced.
 *
 * POWER_RECORD names the record, POWER_BELOW the folder, POWER_SLOW_US a delay before each sync,
 * so that an acknowledgement that does not wait for it comes visibly before it. One entry an
 * operation, appended by one write(2) while a lock is held: a sync covers exactly the writes
 * that stand before it. A failed operation leaves no entry.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct head {
    uint32_t size; /* of what follows the head */
    uint32_t kind; /* W write, T truncate, S sync, C create, R rename, L link, U unlink */
    uint64_t file; /* inode */
    uint64_t at;   /* offset, or the length after a truncate */
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *below;
static useconds_t slow;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("POWER_RECORD"), *wait = getenv("POWER_SLOW_US");
    below = getenv("POWER_BELOW");
    slow = wait ? (useconds_t)atoi(wait) : 0;
    if (path && below)
        record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static void append(char kind, uint64_t file, uint64_t at, const void *data, size_t size)
{
    struct head head = {(uint32_t)size, (uint32_t)kind, file, at};
    char *entry = malloc(sizeof head + size);
    memcpy(entry, &head, sizeof head);
    if (size)
        memcpy(entry + sizeof head, data, size);
    if (syscall(SYS_write, record, entry, sizeof head + size) != (long)(sizeof head + size))
        abort();
    free(entry);
}

static int is_below(const char *path)
{
    return record >= 0 && strncmp(path, below, strlen(below)) == 0;
}

/* Inode of an open file below the folder, 0 for any other. */
static uint64_t file_of(int fd)
{
    char link[40], path[PATH_MAX];
    struct stat about;
    if (record < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_below(path) && fstat(fd, &about) == 0 ? about.st_ino : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void wrote(int fd, const void *data, ssize_t done, off_t at)
{
    uint64_t file = done > 0 ? file_of(fd) : 0;
    if (file)
        append('W', file, (uint64_t)at, data, (size_t)done);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
    pthread_mutex_lock(&order);
    ssize_t done = REAL(pwrite64)(fd, data, size, at);
    wrote(fd, data, done, at);
    pthread_mutex_unlock(&order);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    return pwrite64(fd, data, size, at);
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (!file_of(fd))
        return REAL(write)(fd, data, size);
    pthread_mutex_lock(&order);
    ssize_t done = REAL(write)(fd, data, size);
    wrote(fd, data, done, lseek(fd, 0, SEEK_CUR) - done);
    pthread_mutex_unlock(&order);
    return done;
}

int ftruncate64(int fd, off64_t size)
{
    pthread_mutex_lock(&order);
    int failed = REAL(ftruncate64)(fd, size);
    uint64_t file = failed ? 0 : file_of(fd);
    if (file)
        append('T', file, (uint64_t)size, NULL, 0);
    pthread_mutex_unlock(&order);
    return failed;
}

int ftruncate(int fd, off_t size)
{
    return ftruncate64(fd, size);
}

static int synced(int fd, int (*real)(int))
{
    uint64_t file = file_of(fd);
    if (!file)
        return real(fd);
    pthread_mutex_lock(&order);
    usleep(slow);
    int failed = real(fd);
    if (!failed)
        append('S', file, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return failed;
}

int fsync(int fd)
{
    return synced(fd, REAL(fsync));
}

int fdatasync(int fd)
{
    return synced(fd, REAL(fdatasync));
}

/* What an open(2) made or emptied. */
static int opened(int folder, const char *path, int flags, mode_t mode)
{
    struct stat about;
    pthread_mutex_lock(&order);
    int fresh = is_below(path) && (flags & O_CREAT) && fstatat(folder, path, &about, 0) != 0;
    int fd = REAL(openat64)(folder, path, flags, mode);
    uint64_t file = fd >= 0 ? file_of(fd) : 0;
    if (file && fresh)
        append('C', file, 0, path, strlen(path) + 1);
    if (file && (flags & O_TRUNC))
        append('T', file, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return fd;
}

#define MODE(flags)                                                                               \
    mode_t mode = 0;                                                                              \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                        \
        va_list rest;                                                                             \
        va_start(rest, flags);                                                                    \
        mode = va_arg(rest, mode_t);                                                              \
        va_end(rest);                                                                             \
    }

int open64(const char *path, int flags, ...)
{
    MODE(flags)
    return opened(AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    MODE(flags)
    return opened(AT_FDCWD, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    MODE(flags)
    return opened(folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    MODE(flags)
    return opened(folder, path, flags, mode);
}

static void named(char kind, const char *from, const char *to)
{
    char both[2 * PATH_MAX];
    size_t first = strlen(from) + 1, second = strlen(to) + 1;
    memcpy(both, from, first);
    memcpy(both + first, to, second);
    append(kind, 0, 0, both, first + second);
}

int rename(const char *from, const char *to)
{
    pthread_mutex_lock(&order);
    int failed = REAL(rename)(from, to);
    if (!failed && is_below(to))
        named('R', from, to);
    pthread_mutex_unlock(&order);
    return failed;
}

int link(const char *from, const char *to)
{
    pthread_mutex_lock(&order);
    int failed = REAL(link)(from, to);
    if (!failed && is_below(to))
        named('L', from, to);
    pthread_mutex_unlock(&order);
    return failed;
}

int unlink(const char *path)
{
    pthread_mutex_lock(&order);
    int failed = REAL(unlink)(path);
    if (!failed && is_below(path))
        append('U', 0, 0, path, strlen(path) + 1);
    pthread_mutex_unlock(&order);
    return failed;
}
