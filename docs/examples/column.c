/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/column.h>: a table that a program already has is read where it lies: a pointer and a
 * stride per column. Here the rows are structs; answers go into them as well. */

#include <stdio.h>

#include <joulie/column.h>
#include <joulie/twin.h>

struct machine {
    const char *name;
    uint64_t known; /* JOULIE_TWIN_HAS_* */
    double power_w;
    uint64_t found; /* JOULIE_TWIN_OUT_* */
    double headroom;
};

int main(void)
{
    const uint64_t all =
        JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER;
    struct machine machines[] = { { "n1", all, 180, 0, 0 },
                                  { "n2", all, 0, 0, 0 }, /* 0 W is a measurement */
                                  { "n3", 0, 0, 0, 0 } }; /* nothing is known */
    const size_t count = sizeof machines / sizeof machines[0];
    const int64_t stride = sizeof machines[0];
    const double sockets = 2, max_w = 360;
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);

    in.has = (struct joulie_column_bits){ &machines[0].known, stride };
    in.cpu_sockets = (struct joulie_column){ &sockets, 0 }; /* one value for all rows */
    in.cpu_max_w = (struct joulie_column){ &max_w, 0 };
    in.measured_node_power_w = (struct joulie_column){ &machines[0].power_w, stride };
    out.has = (struct joulie_column_bits_out){ &machines[0].found, stride };
    out.power_headroom_score = (struct joulie_column_out){ &machines[0].headroom, stride };
    if (joulie_twin_predict_columns(&in, count, &out, NULL, NULL) != JOULIE_OK)
        return 1;
    for (size_t i = 0; i < count; i++) {
        if (machines[i].found & JOULIE_TWIN_OUT_HEADROOM)
            printf("%s: headroom %.1f\n", machines[i].name, machines[i].headroom);
        else
            printf("%s: headroom unknown\n", machines[i].name);
    }
    return 0;
}
