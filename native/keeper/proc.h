/* Small reads from /proc and /sys. */
#ifndef SHOAL_PROC_H
#define SHOAL_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads at most size - 1 bytes of a file and ends them with a zero. False if it cannot. */
bool proc_read_file(const char *path, char *text, size_t size);

/* Parent and start time (ticks since boot) of a process. False if there is no such process. */
bool proc_stat(pid_t pid, pid_t *parent, uint64_t *start);

/* Marks every descriptor from 3 on close-on-exec: the record, its lock and the cards' locks
 * are the keeper's and never the program's. */
void proc_keep_descriptors(void);

#endif
