/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Texts and numbers of other programs as they mean them: blanks and throttle bits of DCGM and NVML,
 * the head of /proc/PID/stat, pressure of the kernel (docs/rules/energy.md#gpu-readings, #threads,
 * #pressure). Called by the question `reading`.
 */

#include "power/reading.h"

#include <joulie/error.h>

#include "base/number.h"

#define DCGM_BLANK 2147483632.0 /* the smallest of the blanks of 32, 64 bits and doubles */

static const char *const throttle_words[JL_THROTTLE_WORDS] = {
    "idle",      "applicationClocks", "swPowerCap",   "hwSlowdown", "syncBoost",
    "swThermal", "hwThermal",         "hwPowerBrake", "display",
};

bool jl_dcgm_is_missing(double value)
{
    return !jl_is_finite(value) || value >= DCGM_BLANK;
}

size_t jl_throttle_words(uint64_t bits, const char *out[JL_THROTTLE_WORDS])
{
    size_t count = 0;
    for (size_t i = 0; i < JL_THROTTLE_WORDS; i++) {
        if (bits >> i & 1)
            out[count++] = throttle_words[i];
    }
    return count;
}

/* ---- threads ---- */

static bool is_letter(char c)
{
    const char lower = jl_lower(c);
    return lower >= 'a' && lower <= 'z';
}

/* "42 (comm) S 1 …": a thread's name may hold parentheses, so the last one closes it. */
int jl_pid_stat_parse(struct jl_text text, struct jl_pid_stat *out)
{
    const size_t open = jl_text_find(text, '(');
    size_t close = text.len;
    while (close > 0 && text.ptr[close - 1] != ')')
        close--;
    if (close <= open || open < 2 || text.ptr[open - 1] != ' ')
        return JOULIE_E_PARSE;

    struct jl_pid_stat stat = { .comm = { text.ptr + open + 1, close - open - 2 } };
    const struct jl_text tail = { text.ptr + close, text.len - close };
    const bool has_state = tail.len >= 2 && tail.ptr[0] == ' ' && is_letter(tail.ptr[1]);
    if (!has_state || (tail.len > 2 && !jl_is_space(tail.ptr[2])))
        return JOULIE_E_PARSE;
    stat.state = tail.ptr[1];
    const int rc = jl_parse_i64(text.ptr, open - 1, &stat.pid);
    if (rc < 0 || stat.pid < 0)
        return rc < 0 ? rc : JOULIE_E_PARSE;
    *out = stat;
    return 0;
}

/* ---- pressure ---- */

enum field { FIELD_AVG10, FIELD_AVG60, FIELD_AVG300, FIELD_TOTAL, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = { "avg10", "avg60", "avg300", "total" };

#define ALL_FIELDS ((1U << FIELD_COUNT) - 1)

static int parse_average(struct jl_text text, double *out)
{
    double value = 0;
    const int rc = jl_parse_double(text.ptr, text.len, &value);
    if (rc < 0 || value < 0)
        return rc < 0 ? rc : JOULIE_E_PARSE;
    *out = value;
    return 0;
}

static int parse_field(enum field field, struct jl_text text, struct jl_pressure *out)
{
    switch (field) {
    case FIELD_AVG10:
        return parse_average(text, &out->avg10_pct);
    case FIELD_AVG60:
        return parse_average(text, &out->avg60_pct);
    case FIELD_AVG300:
        return parse_average(text, &out->avg300_pct);
    case FIELD_TOTAL:
        return jl_parse_u64(text.ptr, text.len, &out->total_us);
    case FIELD_COUNT:
        break;
    }
    return JOULIE_E_PARSE;
}

/* "avg10=0.00 avg60=0.00 avg300=0.00 total=0"; fields of a later kernel are skipped. */
static int parse_fields(struct jl_text rest, struct jl_pressure *out)
{
    unsigned seen = 0;
    while (rest.len > 0) {
        struct jl_text value = jl_text_cut(&rest, ' ');
        const struct jl_text name = jl_text_cut(&value, '=');
        for (enum field field = FIELD_AVG10; field < FIELD_COUNT; field++) {
            if (!jl_text_is(name, field_names[field]))
                continue;
            const int rc = parse_field(field, value, out);
            if (rc < 0 || (seen & 1U << field) != 0)
                return rc < 0 ? rc : JOULIE_E_PARSE;
            seen |= 1U << field;
        }
    }
    out->is_known = true;
    return seen == ALL_FIELDS ? 0 : JOULIE_E_PARSE;
}

int jl_psi_parse(struct jl_text text, struct jl_psi *out)
{
    struct jl_psi psi = { 0 };
    while (text.len > 0) {
        struct jl_text line = jl_text_cut(&text, '\n');
        const struct jl_text word = jl_text_cut(&line, ' ');
        struct jl_pressure *pressure = jl_text_is(word, "some")   ? &psi.some
                                       : jl_text_is(word, "full") ? &psi.full
                                                                  : NULL;
        if (pressure == NULL || pressure->is_known)
            return JOULIE_E_PARSE;
        const int rc = parse_fields(line, pressure);
        if (rc < 0)
            return rc;
    }
    if (!psi.some.is_known && !psi.full.is_known)
        return JOULIE_E_PARSE;
    *out = psi;
    return 0;
}
