#include "proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool proc_read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t got = read(fd, text, size - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

bool proc_stat(pid_t pid, pid_t *parent, uint64_t *start)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!proc_read_file(path, text, sizeof text)) {
        return false;
    }
    /* The name in field 2 may hold anything, so count from its closing bracket. */
    char *field = strrchr(text, ')');
    for (int number = 3; field != NULL && number <= 22; number++) {
        field = strchr(field + 1, ' ');
        if (field != NULL && number == 4) {
            *parent = (pid_t)strtol(field + 1, NULL, 10);
        }
    }
    if (field == NULL) {
        return false;
    }
    *start = strtoull(field + 1, NULL, 10);
    return true;
}

void proc_keep_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int fd = atoi(entry->d_name);
        if (fd > 2) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }
    closedir(folder);
}
