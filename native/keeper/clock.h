/* Time: of day for records and log lines, since boot for how long things took, monotonic for
 * waiting. */
#ifndef SHOAL_CLOCK_H
#define SHOAL_CLOCK_H

#include <stdint.h>

#define STAMP_LENGTH 30 /* 2026-11-30T19:13:00.123456789Z */

/* Nanoseconds since the epoch. */
int64_t clock_now_ns(void);

/* Nanoseconds since the kernel was started, which never jump. */
int64_t clock_boot_ns(void);

/* Milliseconds that never jump, and stand still while the machine sleeps. */
int64_t clock_steady_ms(void);

/* Writes exactly STAMP_LENGTH characters, RFC 3339 in UTC, no terminating zero. */
void clock_stamp(int64_t ns, char *text);

#endif
