/* SPDX-License-Identifier: Apache-2.0 */

/* A comparison of autoscalers on a terminal. */

#include "compared.h"
#include "runtime/json.h"
#include "table.h"

static void add_estimate(struct jd_table *table, const struct jd_estimate *estimate, int decimals,
                         bool is_signed)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jd_put_estimate(&text, estimate, decimals, is_signed);
    jd_table_add(table, text.data);
}

static int put_one(struct jl_buffer *out, const struct jd_compared *compared)
{
    const char *const heads[] = { "",
                                  jd_algorithm_names[JD_STATIC],
                                  jd_algorithm_names[JD_SOURCE],
                                  jd_algorithm_names[JD_OURS],
                                  "joulie - static",
                                  "joulie - 2.17.1" };
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < JD_METRICS; i++) {
        const int decimals = jd_metric_rows[i].decimals;
        jd_table_add(&table, jd_metric_rows[i].label);
        for (size_t k = 0; k < JD_ALGORITHMS; k++)
            add_estimate(&table, &compared->means[k][i], decimals, false);
        add_estimate(&table, &compared->differences[JD_OURS_STATIC][i], decimals, true);
        add_estimate(&table, &compared->differences[JD_OURS_SOURCE][i], decimals, true);
    }
    jd_put_format(out, "%s: ", compared->workload);
    jl_put_double(out, compared->hours);
    jl_put_string(out, compared->seeds == 1 ? " h, 1 run of each\n" : " h, ");
    if (compared->seeds > 1) {
        jd_put_format(out, "%zu seeds; ± is a 95 %% interval\n", compared->seeds);
    }
    return jd_table_end(&table, true, out);
}

int jd_put_compared_table(struct jl_buffer *out, const struct jd_compared *all, size_t count)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (i > 0)
            jl_put_char(out, '\n');
        rc = put_one(out, &all[i]);
    }
    return rc;
}
