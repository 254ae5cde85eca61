#include "clock.h"

#include <time.h>

#define NS_PER_SECOND 1000000000

static int64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

int64_t clock_now_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

int64_t clock_boot_ns(void)
{
    return read_ns(CLOCK_BOOTTIME);
}

int64_t clock_steady_ms(void)
{
    return read_ns(CLOCK_MONOTONIC) / 1000000;
}

static char *digits(char *end, int64_t value, int count)
{
    for (int i = 0; i < count; i++) {
        *--end = (char)('0' + value % 10);
        value /= 10;
    }
    return end;
}

void clock_stamp(int64_t ns, char *text)
{
    time_t seconds = (time_t)(ns / NS_PER_SECOND);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    char *end = text + STAMP_LENGTH;
    *--end = 'Z';
    end = digits(end, ns % NS_PER_SECOND, 9);
    *--end = '.';
    end = digits(end, parts.tm_sec, 2);
    *--end = ':';
    end = digits(end, parts.tm_min, 2);
    *--end = ':';
    end = digits(end, parts.tm_hour, 2);
    *--end = 'T';
    end = digits(end, parts.tm_mday, 2);
    *--end = '-';
    end = digits(end, parts.tm_mon + 1, 2);
    *--end = '-';
    digits(end, parts.tm_year + 1900, 4);
}
