/* SPDX-License-Identifier: Apache-2.0 */

/* What of a file may leave the machine in a snapshot: serial numbers, names and addresses are left
 * out. */

#include <string.h>

#include "base/number.h"
#include "host/snapshot.h"

#define ATTRIBUTE_BYTES 4096 /* the longest attribute of sysfs */
#define UJ_PER_J UINT64_C(1000000)

/* ---- what no text may look like ---- */

/* Groups of so many hexadecimal digits with a separator between them, at the start of a text. */
static bool has_groups(const char *text, size_t left, const size_t *groups, size_t count,
                       char separator)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (at >= left || text[at++] != separator))
            return false;
        for (size_t digit = 0; digit < groups[i]; digit++, at++) {
            const char c = at < left ? jl_lower(text[at]) : '\0';
            if (!jl_is_digit(c) && !(c >= 'a' && c <= 'f'))
                return false;
        }
    }
    return true;
}

static bool is_identity(struct jl_text text)
{
    static const size_t uuid[] = { 8, 4, 4, 4, 12 };
    static const size_t mac[] = { 2, 2, 2, 2, 2, 2 };
    for (size_t i = 0; i < text.len; i++) {
        const char *at = text.ptr + i;
        const size_t left = text.len - i;
        if (has_groups(at, left, uuid, JL_COUNT(uuid), '-') ||
            has_groups(at, left, mac, JL_COUNT(mac), ':') ||
            has_groups(at, left, mac, JL_COUNT(mac), '-'))
            return true;
    }
    return false;
}

static bool is_plain(struct jl_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c >= 0x7F)
            return false;
    }
    return true;
}

static const char *why_not(struct jl_text text)
{
    if (!is_plain(text))
        return "has control characters or other bytes that are no ASCII";
    return is_identity(text) ? "looks like an address or a UUID" : NULL;
}

/* ---- by kind ---- */

static const char *scrub_text(struct jl_text text, struct jl_buffer *out)
{
    const char *reason =
        text.len > ATTRIBUTE_BYTES ? "is longer than an attribute can be" : why_not(text);
    if (reason == NULL)
        jl_put(out, text.ptr, text.len);
    return reason;
}

static const char *scrub_energy(struct jl_text text, struct jl_buffer *out)
{
    uint64_t energy_uj = 0;
    if (text.len == 0) /* the driver has no value now */
        return NULL;
    if (jl_parse_number_file(text.ptr, text.len, &energy_uj) != 0)
        return "is no number";
    jl_put_u64(out, energy_uj / UJ_PER_J * UJ_PER_J);
    jl_put_char(out, '\n');
    return NULL;
}

static bool is_one_of(struct jl_text key, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jl_text_is(key, words[i]))
            return true;
    }
    return false;
}

/* An ARM board has a line Serial, an IBM machine a line machine; neither is here. */
static bool is_known_line(struct jl_text key)
{
    static const char *const keys[] = {
        "processor",
        "vendor_id",
        "cpu family",
        "model",
        "model name",
        "stepping",
        "microcode",
        "cpu MHz",
        "cache size",
        "physical id",
        "siblings",
        "core id",
        "cpu cores",
        "apicid",
        "initial apicid",
        "fpu",
        "cpuid level",
        "flags",
        "bugs",
        "bogomips",
        "TLB size",
        "clflush size",
        "cache_alignment",
        "address sizes",
        "BogoMIPS",
        "Features",
        "CPU implementer",
        "CPU architecture",
        "CPU variant",
        "CPU part",
        "CPU revision",
    };
    return is_one_of(key, keys, JL_COUNT(keys));
}

static const char *scrub_cpuinfo(struct jl_text text, struct jl_buffer *out)
{
    while (text.len > 0) {
        const struct jl_text line = jl_text_cut(&text, '\n');
        const struct jl_text key = { line.ptr, jl_text_find(line, ':') };
        const bool is_kept =
            line.len == 0 || (is_known_line(jl_text_trim(key)) && why_not(line) == NULL);
        if (!is_kept)
            continue;
        jl_put(out, line.ptr, line.len);
        jl_put_char(out, '\n');
    }
    return NULL;
}

static bool ends_with(struct jl_text text, const char *suffix)
{
    const size_t len = strlen(suffix);
    return text.len >= len && memcmp(text.ptr + text.len - len, suffix, len) == 0;
}

static const char *scrub_meminfo(struct jl_text text, struct jl_buffer *out)
{
    while (text.len > 0) {
        const struct jl_text line = jl_text_cut(&text, '\n');
        const struct jl_text key = { line.ptr, jl_text_find(line, ':') };
        if (!ends_with(key, "MemTotal") || why_not(line) != NULL)
            continue;
        jl_put(out, line.ptr, line.len);
        jl_put_char(out, '\n');
    }
    return NULL;
}

const char *jl_scrub(enum jl_scrub scrub, struct jl_text text, struct jl_buffer *out)
{
    switch (scrub) {
    case JL_SCRUB_TEXT:
        return scrub_text(text, out);
    case JL_SCRUB_ENERGY:
        return scrub_energy(text, out);
    case JL_SCRUB_CPUINFO:
        return scrub_cpuinfo(text, out);
    case JL_SCRUB_MEMINFO:
        return scrub_meminfo(text, out);
    case JL_SCRUB_BOOT_ID:
        break;
    }
    jl_put_string(out, JL_SNAPSHOT_BOOT_ID "\n");
    return NULL;
}
