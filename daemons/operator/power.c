/* SPDX-License-Identifier: Apache-2.0 */

/* The commands of the model on their way to the actuator and back
 * (docs/rules/programs.md#actuator). Called by operator.c behind each step. */

#include "operator/power.h"

#include "base/error.h"
#include "base/text.h"
#include "operator/metrics.h"
#include "runtime/child.h"

#define COMPONENT "power"
#define MS_PER_S 1000.0

int jd_power_check(const struct jd_operator_values *values, struct joulie_error *err)
{
    struct joulie_error detail = JOULIE_INIT(struct joulie_error);
    const char *path = values->power_off_command;
    const int rc = jl_is_empty(path) ? 0 : jd_child_check(path, &detail);
    if (rc < 0)
        return jl_fail(err, rc, "POWER_OFF_COMMAND", "%s: %s", path, detail.message);
    if (!jl_is_empty(path) && values->power_off_by_autoscaler)
        return jl_fail(err, JOULIE_E_CONFLICT, "POWER_OFF_COMMAND",
                       "nothing is switched with POWER_OFF_BY_AUTOSCALER");
    if (!values->wake_all)
        return 0;
    if (jl_is_empty(path))
        return jl_fail(err, JOULIE_E_REQUIRED, "POWER_OFF_COMMAND", "WAKE_ALL needs it");
    return values->dry_run ? jl_fail(err, JOULIE_E_CONFLICT, "DRY_RUN", "WAKE_ALL changes nodes")
                           : 0;
}

/* ---- commands ---- */

static bool start(struct jd_power *power, const struct joulie_cluster_command *command)
{
    const enum jd_switch what =
        command->command == JOULIE_POWER_COMMAND_POWER_ON ? JD_SWITCH_ON : JD_SWITCH_OFF;
    struct jd_actuator *actuator = power->actuator;
    if (actuator->kind->start(actuator, command->node_name, what, command->id) < 0)
        return false;
    /* in lockstep time stands still while it runs */
    jd_clock_hold(power->shared->clock);
    jd_log(power->shared->log, JOULIE_LOG_LEVEL_INFO, COMPONENT,
           "node %s: the command %s is run (%s)", command->node_name, jd_switch_words[what],
           command->reason);
    return true;
}

/* One that runs is still listed; behind one that finds no room there is none for the others. */
static void run_all(struct jd_power *power, enum joulie_power_command kind)
{
    struct joulie_cluster_command command = JOULIE_INIT(struct joulie_cluster_command);
    for (size_t i = 0; joulie_cluster_command_at(power->shared->cluster, i, &command, NULL) == 0;
         i++) {
        if (command.command == kind &&
            !power->actuator->kind->is_busy(power->actuator, command.node_name) &&
            !start(power, &command))
            return;
    }
}

void jd_power_run(struct jd_power *power)
{
    if (!power->actuator || !power->may_run(power->user))
        return;
    run_all(power, JOULIE_POWER_COMMAND_POWER_ON);
    run_all(power, JOULIE_POWER_COMMAND_SWITCH_OFF);
}

/* Of a command that was withdrawn while it ran the model does not hear. */
static void on_switched(void *user, const struct jd_switched *switched)
{
    struct jd_power *power = user;
    const struct jd_shared *shared = power->shared;
    const bool is_done = switched->end == JD_SWITCH_DONE;
    jd_count_command(shared->metrics, switched);
    if (is_done)
        jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, COMPONENT,
               "node %s: the command %s is done, %.3f s", switched->node_name,
               jd_switch_words[switched->what], (double)switched->took_ms / MS_PER_S);
    else
        jd_report_command(power->reporter, switched, jd_policy_now_ms(shared->clock));
    (void)joulie_cluster_command_done(shared->cluster, switched->id,
                                      is_done ? JOULIE_OUTCOME_APPLIED : JOULIE_OUTCOME_FAILED,
                                      NULL);
    jd_power_run(power);
    power->on_done(power->user);
    jd_clock_release(shared->clock);
}

/* ---- advice ---- */

static void advise(struct jd_power *power, const struct joulie_cluster_node *node, int64_t now_ms)
{
    const bool is_advised = node->power_action != JOULIE_POWER_ACTION_NONE;
    struct jd_note *note = is_advised ? jd_note_of(power->shared->notes, node->name)
                                      : jd_note_find(power->shared->notes, node->name);
    if (!note || note->power_advice == node->power_action)
        return;
    note->power_advice = node->power_action;
    if (is_advised)
        jd_report_advice(power->reporter, node, now_ms);
}

void jd_power_advise(struct jd_power *power, int64_t now_ms)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    const bool is_done = power->actuator || power->shared->values->power_off_by_autoscaler;
    for (size_t i = 0;
         !is_done && joulie_cluster_node_at(power->shared->cluster, i, &node, NULL) == 0; i++)
        advise(power, &node, now_ms);
}

/* ---- the rest ---- */

size_t jd_power_busy(const struct jd_power *power)
{
    return power->actuator ? power->actuator->kind->count(power->actuator) : 0;
}

void jd_power_end(struct jd_power *power, int64_t at_ms)
{
    if (power->actuator)
        power->actuator->kind->end(power->actuator, at_ms);
}

int jd_power_open(struct jd_power *power, char **environment, struct joulie_error *err)
{
    const struct jd_operator_values *values = power->shared->values;
    const struct jd_command_options options = {
        .loop = power->shared->loop,
        .log = power->shared->log,
        .path = values->power_off_command,
        .names = values->power_off_environment,
        .environment = environment,
        .timeout_ms = values->power_off_timeout_ms,
        .at_once = (size_t)values->power_off_at_once,
        .on_done = on_switched,
        .user = power,
    };
    if (jl_is_empty(values->power_off_command) || values->dry_run)
        return 0;
    return jd_command_open(&options, &power->actuator, err);
}

void jd_power_close(struct jd_power *power)
{
    if (power->actuator)
        power->actuator->kind->close(power->actuator);
    power->actuator = NULL;
}
