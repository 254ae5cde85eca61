/* Keeping a program: log what it says, pass on what the agent asks, end its tree whole. */
#ifndef SHOAL_KEEP_H
#define SHOAL_KEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"

/* How it went. exit_code is 128 + signal when a signal killed the program. */
struct ending {
    int exit_code;
    int signal;
    bool stop_asked;
    uint64_t dropped_bytes;
};

/* Blocks the signals that keep() waits for; call it before the program is started. Returns a
 * signalfd, or -1. */
int keep_signals(void);

/* Returns when the program and everything that it started are gone and all output is logged.
 *
 * SIGTERM: SIGTERM to the whole tree; what is left after the grace is killed. One that carries a
 * number (sigqueue) grants so many milliseconds, any other the options' grace; a later one can
 * only make it shorter.
 * SIGUSR1: the whole tree is killed now.
 * The program ends by itself: what it left behind is killed now. */
struct ending keep(const struct options *options, pid_t program, const int output[2], int signals);

#endif
