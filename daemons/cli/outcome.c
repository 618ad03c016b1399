/* SPDX-License-Identifier: Apache-2.0 */

/* What came out of a simulation, as a table for a person. */

#include <math.h>

#include <joulie/sim.h>

#include "base/buffer.h"
#include "cli.h"
#include "runtime/json.h"

#define HOUR_S 3600.0
#define MINUTE_S 60.0
#define J_PER_KWH 3.6e6

/* A number of unknown value is NAN here and a dash in the table. */
static double known(uint64_t has, uint64_t bit, double value)
{
    return (has & bit) != 0 ? value : (double)NAN;
}

static void put_number(struct jl_buffer *out, double value, int decimals)
{
    if (isnan(value))
        jd_put_format(out, " %15s", "-");
    else
        jd_put_format(out, " %15.*f", decimals, value);
}

static void put_line(struct jl_buffer *out, const char *name, double controlled, bool is_compared,
                     double uncontrolled, int decimals)
{
    jd_put_format(out, "%-22s", name);
    put_number(out, controlled, decimals);
    if (is_compared)
        put_number(out, uncontrolled, decimals);
    if (is_compared && uncontrolled > 0 && !isnan(controlled)) {
        const double factor = controlled / uncontrolled;
        const double change_pct = fabs(factor - 1) < 0.0005 ? 0 : 100 * (factor - 1);
        if (factor < 10)
            jd_put_format(out, " %+11.1f %%", change_pct);
        else
            jd_put_format(out, " %11.0f x", factor);
    }
    jl_put_char(out, '\n');
}

static void put_saving(struct jl_buffer *out, const struct joulie_sim *sim)
{
    double saved_pct;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_sim_saving(sim, &saved_pct, &err) == JOULIE_OK)
        jd_put_format(out, "energy saved at equal work: %.1f %%\n", saved_pct);
    else
        jd_put_format(out, "energy saved: not to be said, %.100s\n", err.message);
}

void jd_put_outcome(struct jd_call *call, const struct joulie_sim *sim)
{
    struct jl_buffer out = { 0 };
    struct joulie_sim_outcome ours = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_outcome other = JOULIE_INIT(struct joulie_sim_outcome);
    joulie_sim_get_outcome(sim, 0, &ours, NULL);
    const bool is_compared = joulie_sim_get_outcome(sim, 1, &other, NULL) == JOULIE_OK;
    jl_put_string(
        &out, is_compared ? "                            controlled    uncontrolled   difference\n"
                          : "                            controlled\n");
    put_line(&out, "IT energy, kWh", ours.energy_j / J_PER_KWH, is_compared,
             other.energy_j / J_PER_KWH, 1);
    put_line(&out, "CPU work, units", ours.cpu_units, is_compared, other.cpu_units, 0);
    put_line(&out, "GPU work, units", ours.gpu_units, is_compared, other.gpu_units, 0);
    put_line(&out, "jobs completed", (double)ours.completed, is_compared, (double)other.completed,
             0);
    put_line(&out, "jobs left over", (double)(ours.jobs - ours.completed), is_compared,
             (double)(other.jobs - other.completed), 0);
    put_line(&out, "makespan, h",
             known(ours.has, JOULIE_SIM_OUTCOME_HAS_MAKESPAN, ours.makespan_s / HOUR_S),
             is_compared,
             known(other.has, JOULIE_SIM_OUTCOME_HAS_MAKESPAN, other.makespan_s / HOUR_S), 2);
    put_line(&out, "mean wait, min",
             known(ours.has, JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT, ours.mean_wait_s / MINUTE_S),
             is_compared,
             known(other.has, JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT, other.mean_wait_s / MINUTE_S), 1);
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
    if (joulie_sim_get_outcome(sim, 0, &ours, NULL) != JOULIE_OK ||
        joulie_sim_get_outcome(sim, 1, &other, NULL) != JOULIE_OK)
        return false;
    return ours.completed == ours.jobs && other.completed == other.jobs &&
           joulie_sim_saving(sim, &saved_pct, NULL) == JOULIE_OK;
}
