/* Starting the program: its own session and control groups, its output into two pipes. */
#ifndef SHOAL_START_H
#define SHOAL_START_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options.h"

/* A program that runs, or the step that failed (enum record_stage) and its errno. */
struct started {
    pid_t pid;
    int output[2]; /* non-blocking read ends: stdout, stderr */
    uint32_t stage;
    int32_t error;
};

/* Returns once the program has replaced the child, or the child is gone and reaped. False when
 * nothing runs; then stage and error say why. */
bool start_program(const struct options *options, struct started *started);

#endif
