#include "oom.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"

uint64_t oom_kills(const char *file)
{
    static const char KEY[] = "oom_kill ";
    char text[1024];
    if (file == NULL || !proc_read_file(file, text, sizeof text)) {
        return 0;
    }
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, KEY, sizeof KEY - 1) == 0) {
            return strtoull(line + sizeof KEY - 1, NULL, 10);
        }
    }
    return 0;
}
