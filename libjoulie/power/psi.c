/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Pressure stall information. Called by the question `reading`. Implements
 * docs/rules/energy.md#pressure.
 */

#include "power/psi.h"

#include <joulie/error.h>

#include "base/number.h"

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
