#include "record.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* CRC-32 as zlib and Ethernet have it, bit by bit: it runs a handful of times in a life. */
static uint32_t crc32(const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

bool record_read(int fd, struct record *record)
{
    ssize_t got = pread(fd, record, sizeof *record, 0);
    if (got < 0) {
        return false;
    }
    bool whole = got == (ssize_t)sizeof *record &&
                 memcmp(record->magic, RECORD_MAGIC, sizeof record->magic) == 0 &&
                 record->version == RECORD_VERSION &&
                 record->checksum == crc32(record, offsetof(struct record, checksum));
    if (!whole) {
        errno = EBADMSG;
    }
    return whole;
}

bool record_write(int fd, struct record *record, bool durable)
{
    record->checksum = crc32(record, offsetof(struct record, checksum));
    ssize_t put = pwrite(fd, record, sizeof *record, 0);
    if (put != (ssize_t)sizeof *record) {
        return false;
    }
    return !durable || fdatasync(fd) == 0;
}
