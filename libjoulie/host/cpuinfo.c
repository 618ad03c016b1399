/* SPDX-License-Identifier: Apache-2.0 */

/* The processor's names and counts from /proc/cpuinfo, for scan.c. */

#include "base/number.h"
#include "base/sort.h"
#include "host/parts.h"

#define FILE_PATH "proc/cpuinfo"

struct core {
    uint64_t package;
    uint64_t number;
};

struct reader {
    struct jl_scan *scan;
    struct jl_scan scratch; /* what is forgotten after the file */
    struct core *cores;     /* one for each processor that tells its core */
    size_t core_count;
    struct core now; /* of the processor that is being read */
    bool has_package;
    bool has_number;
    bool has_flags;        /* of the first processor; the others say the same at length */
    struct jl_text vendor; /* the last ones of the file */
    struct jl_text model;
};

static void end_processor(struct reader *reader)
{
    if (reader->has_package && reader->has_number) {
        struct core *core = jl_scan_add(&reader->scratch, NULL, (void **)&reader->cores,
                                        &reader->core_count, sizeof *core);
        if (core != NULL)
            *core = reader->now;
    }
    reader->has_package = false;
    reader->has_number = false;
}

static bool has_word(struct jl_text words, const char *word)
{
    while (words.len > 0) {
        if (jl_text_is(jl_text_cut(&words, ' '), word))
            return true;
    }
    return false;
}

static void read_line(struct reader *reader, struct jl_text key, struct jl_text value)
{
    struct jl_host_facts *facts = reader->scan->facts;
    if (jl_text_is(key, "processor")) {
        end_processor(reader);
        facts->cpuinfo_cpus += facts->cpuinfo_cpus < JL_SCAN_ITEMS_MAX;
    } else if (jl_text_is(key, "vendor_id")) {
        reader->vendor = value;
    } else if (jl_text_is(key, "model name")) {
        reader->model = value;
    } else if (jl_text_is(key, "cpu family")) {
        facts->cpu_family.code = jl_parse_u64(value.ptr, value.len, &facts->cpu_family.value);
    } else if (jl_text_is(key, "physical id")) {
        reader->has_package = jl_parse_u64(value.ptr, value.len, &reader->now.package) == 0;
    } else if (jl_text_is(key, "core id")) {
        reader->has_number = jl_parse_u64(value.ptr, value.len, &reader->now.number) == 0;
    } else if (jl_text_is(key, "flags") && !reader->has_flags) {
        reader->has_flags = true;
        facts->is_virtual = has_word(value, "hypervisor");
    }
}

static void read_lines(struct reader *reader, struct jl_text text)
{
    while (text.len > 0 && reader->scratch.code == 0) {
        struct jl_text value = jl_text_cut(&text, '\n');
        const struct jl_text key = jl_text_cut(&value, ':');
        read_line(reader, jl_text_trim(key), jl_text_trim(value));
    }
    end_processor(reader);
}

static int compare_cores(const void *a, const void *b, void *user)
{
    const struct core *left = a;
    const struct core *right = b;
    (void)user;
    const int order = JL_ORDER(left->package, right->package);
    return order != 0 ? order : JL_ORDER(left->number, right->number);
}

static void count_cores(struct reader *reader)
{
    struct jl_host_facts *facts = reader->scan->facts;
    const struct core *cores = reader->cores;
    if (reader->scratch.code == 0)
        reader->scratch.code =
            jl_sort(reader->cores, reader->core_count, sizeof *cores, compare_cores, NULL);
    for (size_t i = 0; i < reader->core_count && reader->scratch.code == 0; i++) {
        const bool is_new_package = i == 0 || cores[i].package != cores[i - 1].package;
        facts->cpuinfo_packages += is_new_package;
        facts->cpuinfo_cores += is_new_package || cores[i].number != cores[i - 1].number;
    }
}

static const char *keep(struct jl_scan *scan, struct jl_text text)
{
    const char *word = jl_scan_keep(scan, text);
    if (word == NULL && text.len > 0)
        jl_spot_warn(scan, NULL, FILE_PATH, "has a name of a CPU that cannot be one");
    return word;
}

void jl_scan_cpuinfo(struct jl_scan *scan)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    struct reader reader = { .scan = scan, .scratch = { .arena = &scratch } };
    struct jl_text text;
    scan->facts->cpu_family.code = JOULIE_E_UNSUPPORTED;
    if (!jl_spot_text(scan, NULL, FILE_PATH, JL_CPUINFO_BYTES, &scratch, &text))
        return;
    read_lines(&reader, text);
    count_cores(&reader);
    if (reader.scratch.code != 0 && scan->code == 0)
        scan->code = reader.scratch.code;
    scan->facts->cpu_vendor = keep(scan, reader.vendor);
    scan->facts->cpu_model = keep(scan, reader.model);
}
