/* SPDX-License-Identifier: Apache-2.0 */

/* A comparison of autoscalers in which every allocation fails once: generated and recorded demand.
 */

#include <string.h>

#include <joulie/sim.h>

#include "life.h"

static const char trace[] =
    "t,worker,tflops,vram\n0,a,30,4Gi\n0,b,20,4Gi\n10,a,50,5Gi\n20,b,9,1Gi\n";

static void simulate(struct oom_life *life, struct joulie_autoscale_sim_options *options)
{
    char *json = NULL;
    options->keeps_series = 1;
    while (oom_again(life, joulie_simulate_autoscale(options, &json, NULL)))
        ;
    oom_note(life, json);
    joulie_free(json);
}

static void live(struct oom_life *life)
{
    struct joulie_autoscale_sim_options generated =
        JOULIE_INIT(struct joulie_autoscale_sim_options);
    struct joulie_autoscale_sim_options recorded = JOULIE_INIT(struct joulie_autoscale_sim_options);
    generated.has = JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEEDS;
    generated.hours = 0.1;
    generated.seeds = 2;
    recorded.trace = trace;
    recorded.trace_len = strlen(trace);
    simulate(life, &generated);
    simulate(life, &recorded);
}

int main(void)
{
    return oom_lives("a comparison's", live);
}
