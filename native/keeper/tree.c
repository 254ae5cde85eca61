#include "tree.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "proc.h"

struct process {
    pid_t pid;
    pid_t parent;
    uint64_t start;
    bool ours;
};

struct snapshot {
    struct process *processes; /* in order of pid */
    size_t count;
    size_t room;
};

static bool add(struct snapshot *all, struct process process)
{
    if (all->count == all->room) {
        size_t room = all->room > 0 ? 2 * all->room : 512;
        struct process *grown = realloc(all->processes, room * sizeof *grown);
        if (grown == NULL) {
            return false; /* signal those found; the caller repeats */
        }
        all->processes = grown;
        all->room = room;
    }
    all->processes[all->count++] = process;
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct process *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static void look(struct snapshot *all)
{
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct process process = {.pid = (pid_t)atoi(entry->d_name)};
        if (process.pid > 0 && proc_stat(process.pid, &process.parent, &process.start) &&
            !add(all, process)) {
            break;
        }
    }
    closedir(folder);
    if (all->count > 0) {
        qsort(all->processes, all->count, sizeof *all->processes, by_pid);
    }
}

static bool mark_generation(struct snapshot *all, pid_t keeper)
{
    bool more = false;
    for (size_t i = 0; i < all->count; i++) {
        struct process *child = &all->processes[i];
        struct process key = {.pid = child->parent};
        const struct process *parent =
            bsearch(&key, all->processes, all->count, sizeof key, by_pid);
        if (!child->ours && (child->parent == keeper || (parent != NULL && parent->ours))) {
            child->ours = more = true;
        }
    }
    return more;
}

/* Through a pidfd whose process is then looked at again, since a pid may have been given to a
 * stranger after the snapshot was taken. */
static void signal_exactly(const struct process *process, int signal)
{
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    pid_t parent = 0;
    uint64_t start = 0;
    if (fd < 0) {
        return;
    }
    if (proc_stat(process->pid, &parent, &start) && start == process->start) {
        syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
    }
    close(fd);
}

void tree_signal(int signal)
{
    struct snapshot all = {0};
    look(&all);
    while (all.count > 0 && mark_generation(&all, getpid())) {
    }
    for (size_t i = 0; i < all.count; i++) {
        if (all.processes[i].ours) {
            signal_exactly(&all.processes[i], signal);
        }
    }
    free(all.processes);
}
