/* SPDX-License-Identifier: Apache-2.0 */

/* What came out of a simulation, as a table for a person. */

#include <math.h>
#include <stdio.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "cli.h"

#define HOUR_S 3600.0
#define MINUTE_S 60.0

static void put_line(struct jl_buffer *out, const char *name, double controlled, bool is_compared,
                     double uncontrolled, int decimals)
{
    char line[160];
    snprintf(line, sizeof line, "%-22s %15.*f", name, decimals, controlled);
    jl_put_string(out, line);
    if (is_compared) {
        snprintf(line, sizeof line, " %15.*f", decimals, uncontrolled);
        jl_put_string(out, line);
    }
    if (is_compared && uncontrolled > 0) {
        const double factor = controlled / uncontrolled;
        const double change_pct = fabs(factor - 1) < 0.0005 ? 0 : 100 * (factor - 1);
        if (factor < 10)
            snprintf(line, sizeof line, " %+11.1f %%", change_pct);
        else
            snprintf(line, sizeof line, " %11.0f x", factor);
        jl_put_string(out, line);
    }
    jl_put_char(out, '\n');
}

static void put_saving(struct jl_buffer *out, const struct joulie_sim *sim)
{
    double saved_pct;
    const char *reason = NULL;
    char line[160];
    if (joulie_sim_saving(sim, &saved_pct, &reason) == JOULIE_OK)
        snprintf(line, sizeof line, "energy saved at equal work: %.1f %%\n", saved_pct);
    else
        snprintf(line, sizeof line, "energy saved: not to be said, %s\n", reason);
    jl_put_string(out, line);
}

void jd_put_outcome(struct jd_call *call, const struct joulie_sim *sim)
{
    struct jl_buffer out = { 0 };
    struct joulie_sim_outcome ours = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_outcome other = JOULIE_INIT(struct joulie_sim_outcome);
    joulie_sim_outcome(sim, 0, &ours);
    const bool is_compared = joulie_sim_outcome(sim, 1, &other) == JOULIE_OK;
    jl_put_string(
        &out, is_compared ? "                            controlled    uncontrolled   difference\n"
                          : "                            controlled\n");
    put_line(&out, "IT energy, kWh", ours.energy_kwh, is_compared, other.energy_kwh, 1);
    put_line(&out, "CPU work, units", ours.cpu_units, is_compared, other.cpu_units, 0);
    put_line(&out, "GPU work, units", ours.gpu_units, is_compared, other.gpu_units, 0);
    put_line(&out, "jobs completed", (double)ours.completed, is_compared, (double)other.completed,
             0);
    put_line(&out, "jobs left over", (double)(ours.jobs - ours.completed), is_compared,
             (double)(other.jobs - other.completed), 0);
    put_line(&out, "makespan, h", ours.makespan_s / HOUR_S, is_compared, other.makespan_s / HOUR_S,
             2);
    put_line(&out, "mean wait, min", ours.mean_wait_s / MINUTE_S, is_compared,
             other.mean_wait_s / MINUTE_S, 1);
    if (is_compared)
        put_saving(&out, sim);
    if (out.data)
        jd_put_text(call, out.data, out.len);
    jl_buffer_clear(&out);
}

bool jd_is_equal_work(const struct joulie_sim *sim)
{
    struct joulie_sim_outcome ours = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_outcome other = JOULIE_INIT(struct joulie_sim_outcome);
    double saved_pct;
    if (joulie_sim_outcome(sim, 0, &ours) != JOULIE_OK ||
        joulie_sim_outcome(sim, 1, &other) != JOULIE_OK)
        return false;
    return ours.completed == ours.jobs && other.completed == other.jobs &&
           joulie_sim_saving(sim, &saved_pct, NULL) == JOULIE_OK;
}
