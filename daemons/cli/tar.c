/* SPDX-License-Identifier: Apache-2.0 */

/* Writing of tar archives. Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header
 * Block". */

#include "tar.h"

#include <string.h>

#include "base/arena.h"
#include "base/number.h"

#define BLOCK_BYTES ((size_t)512)
#define SIZE_MAX_BYTES UINT64_C(077777777777) /* 11 octal digits */

enum tar_type { TYPE_FILE = '0', TYPE_LINK = '2', TYPE_FOLDER = '5', TYPE_PAX = 'x' };

struct tar_header {
    char name[100];
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char checksum[8];
    char type;
    char link[100];
    char magic[6];
    char version[2];
    char user[32];
    char group[32];
    char dev_major[8];
    char dev_minor[8];
    char prefix[155];
    char padding[12];
};

_Static_assert(sizeof(struct tar_header) == BLOCK_BYTES, "one block");

/* Octal digits that fill the field, with a NUL at its end. */
static void put_octal(char *field, size_t size, uint64_t value)
{
    field[--size] = '\0';
    while (size > 0) {
        field[--size] = (char)('0' + (value & 7));
        value >>= 3;
    }
}

/* A field that is full has no NUL. */
static void put_field(char *field, const char *text, size_t len)
{
    memcpy(field, text, len);
}

/* The sum of all bytes, the field of the sum itself counted as blanks. */
static void put_checksum(struct tar_header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    uint64_t sum = 0;
    memset(header->checksum, ' ', sizeof header->checksum);
    for (size_t i = 0; i < sizeof *header; i++)
        sum += bytes[i];
    put_octal(header->checksum, sizeof header->checksum - 1, sum); /* digits, NUL, blank */
}

static struct tar_header header_of(enum tar_type type, uint32_t mode, uint64_t size_bytes)
{
    struct tar_header header = { .type = (char)type };
    put_octal(header.mode, sizeof header.mode, mode & 07777);
    put_octal(header.uid, sizeof header.uid, 0);
    put_octal(header.gid, sizeof header.gid, 0);
    put_octal(header.size, sizeof header.size, size_bytes);
    put_octal(header.mtime, sizeof header.mtime, 0);
    put_octal(header.dev_major, sizeof header.dev_major, 0);
    put_octal(header.dev_minor, sizeof header.dev_minor, 0);
    put_field(header.magic, "ustar", sizeof header.magic);
    memset(header.version, '0', sizeof header.version);
    return header;
}

/* Splits a path at a slash into prefix and name. false = it does not fit. */
static bool put_path(struct tar_header *header, const char *path, size_t len)
{
    if (len <= sizeof header->name) {
        put_field(header->name, path, len);
        return true;
    }
    for (size_t i = len - sizeof header->name - 1; i <= sizeof header->prefix && i + 1 < len; i++) {
        if (path[i] != '/' || i == 0)
            continue;
        put_field(header->prefix, path, i);
        put_field(header->name, path + i + 1, len - i - 1);
        return true;
    }
    put_field(header->name, path, sizeof header->name); /* for readers without pax */
    return false;
}

static bool put_link(struct tar_header *header, const char *target, size_t len)
{
    const bool fits = len <= sizeof header->link;
    put_field(header->link, target, fits ? len : sizeof header->link);
    return fits;
}

static void put_header(struct jl_buffer *out, struct tar_header *header)
{
    put_checksum(header);
    jl_put(out, (const char *)header, sizeof *header);
}

static void put_content(struct jl_buffer *out, const char *bytes, size_t len)
{
    static const char zeros[BLOCK_BYTES];
    jl_put(out, bytes, len);
    jl_put(out, zeros, (BLOCK_BYTES - len % BLOCK_BYTES) % BLOCK_BYTES);
}

/* "LENGTH key=value\n", the length with itself. */
static void put_record(struct jl_buffer *out, const char *key, const char *value, size_t len)
{
    char digits[JL_DOUBLE_TEXT];
    const size_t rest = strlen(key) + len + 3; /* blank, equals sign, line feed */
    size_t total = rest + 1;
    while (jl_format_u64(total, digits) + rest != total)
        total++;
    jl_put_u64(out, total);
    jl_put_char(out, ' ');
    jl_put_string(out, key);
    jl_put_char(out, '=');
    jl_put(out, value, len);
    jl_put_char(out, '\n');
}

static void put_pax(struct jl_buffer *out, const struct jl_buffer *records)
{
    static const char name[] = "PaxHeaders/entry";
    struct tar_header header = header_of(TYPE_PAX, 0644, records->len);
    put_field(header.name, name, sizeof name - 1);
    put_header(out, &header);
    put_content(out, records->data, records->len);
}

static enum tar_type type_of(const struct joulie_host_entry *entry)
{
    if (entry->is_folder)
        return TYPE_FOLDER;
    return entry->is_link ? TYPE_LINK : TYPE_FILE;
}

int jd_tar_put(struct jl_buffer *out, const struct joulie_host_entry *entry)
{
    const enum tar_type type = type_of(entry);
    const size_t size_bytes = type == TYPE_FILE ? (size_t)entry->len : 0;
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer records = { 0 };
    struct tar_header header = header_of(type, entry->mode, size_bytes);
    if (size_bytes > SIZE_MAX_BYTES)
        return JOULIE_E_LIMIT;
    jl_put_string(&path, entry->path);
    if (type == TYPE_FOLDER)
        jl_put_char(&path, '/');
    if (path.data && !put_path(&header, path.data, path.len))
        put_record(&records, "path", path.data, path.len);
    if (type == TYPE_LINK && !put_link(&header, entry->bytes, (size_t)entry->len))
        put_record(&records, "linkpath", entry->bytes, (size_t)entry->len);

    if (records.len > 0)
        put_pax(out, &records);
    put_header(out, &header);
    put_content(out, entry->bytes, size_bytes);
    out->is_failed = out->is_failed || path.is_failed || records.is_failed;
    return 0;
}

void jd_tar_end(struct jl_buffer *out)
{
    static const char zeros[2 * BLOCK_BYTES];
    jl_put(out, zeros, sizeof zeros);
}
