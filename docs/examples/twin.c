/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/twin.h>: plain functions. Numbers of one node in, stress scores out; no allocation. */

#include <stdio.h>

#include <joulie/twin.h>

static void show(const char *name, const struct joulie_twin_output *out, uint64_t bit, double value)
{
    if (out->has & bit)
        printf("%-10s %.1f\n", name, value);
    else
        printf("%-10s unknown\n", name);
}

int main(void)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);

    /* Two packages of 360 W under a cap of 60 %, and the node draws 310 W. */
    in.cpu_sockets = 2;
    in.cpu_max_w = 360;
    in.cpu_cap_pct = 60;
    in.measured_node_power_w = 310;
    in.has = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_CPU_CAP_PCT |
             JOULIE_TWIN_HAS_NODE_POWER;
    if (joulie_twin_predict(&in, &out, &err) != JOULIE_OK) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return 1;
    }
    show("headroom", &out, JOULIE_TWIN_OUT_HEADROOM, out.power_headroom_score);
    show("cooling", &out, JOULIE_TWIN_OUT_COOLING, out.cooling_stress_score);
    show("psu", &out, JOULIE_TWIN_OUT_PSU, out.psu_stress_score);

    in.has &= ~(uint64_t)JOULIE_TWIN_HAS_CPU_MAX; /* what its CPUs can draw is unknown now */
    if (joulie_twin_predict(&in, &out, &err) != JOULIE_OK)
        return 1;
    show("headroom", &out, JOULIE_TWIN_OUT_HEADROOM, out.power_headroom_score);
    return 0;
}
