/* How many processes of a memory control group the kernel has killed for want of memory. */
#ifndef SHOAL_OOM_H
#define SHOAL_OOM_H

#include <stdint.h>

/* From memory.oom_control (v1) or memory.events (v2); 0 if the file is NULL or tells nothing. */
uint64_t oom_kills(const char *file);

#endif
