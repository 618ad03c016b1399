/* SPDX-License-Identifier: Apache-2.0 */

/* Values of the agent's metrics, from the library's structs and reports. Called after each step. */

#include "agent/metrics.h"

#include "agent/sample.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/json.h"

#define UJ_PER_J 1e6

static JD_FAMILY(backend_mode, JD_GAUGE, "joulie_backend_mode",
                 "1 for the way in which CPU caps are kept.", "node", "mode");
static JD_FAMILY(policy_cap, JD_GAUGE, "joulie_policy_cap_watts",
                 "Cap of each CPU package that the NodeTwin asks for; a percentage as watts of the "
                 "maximum.",
                 "node", "policy");
static JD_FAMILY(policy_cap_unknown, JD_GAUGE, "joulie_policy_cap_unknown",
                 "1: the NodeTwin asks for a CPU cap, and nobody knows how many watts that are.",
                 "node", "reason");
static JD_FAMILY(energy, JD_GAUGE, "joulie_rapl_energy_uj",
                 "Energy of a zone since the agent started, in whole joules.", "node", "zone");
static JD_FAMILY(rapl_power, JD_GAUGE, "joulie_rapl_estimated_power_watts", "Power of a zone.",
                 "node", "zone");
static JD_FAMILY(total_power, JD_GAUGE, "joulie_rapl_package_total_power_watts",
                 "Power of all CPU packages.", "node");
static JD_FAMILY(zone_power, JD_GAUGE, "joulie_zone_power_watts", "Power of a zone.", "node",
                 "zone");
static JD_FAMILY(gpu_power, JD_GAUGE, "joulie_gpu_power_watts",
                 "Power of a GPU; gpu=\"remote\": of all GPUs.", "node", "gpu");
static JD_FAMILY(gpu_cap, JD_GAUGE, "joulie_gpu_cap_watts",
                 "Limit of a GPU; gpu=\"remote\": of each GPU.", "node", "gpu");
static JD_FAMILY(observed_power, JD_GAUGE, "joulie_dvfs_observed_power_watts",
                 "Power that frequencies are controlled by.", "node");
static JD_FAMILY(throttle, JD_GAUGE, "joulie_dvfs_throttle_pct",
                 "How far frequencies are lowered, 0 to 100.", "node");
static JD_FAMILY(ema_power, JD_GAUGE, "joulie_dvfs_ema_power_watts",
                 "Smoothed power of the controller legacy.", "node");
static JD_FAMILY(above_trips, JD_GAUGE, "joulie_dvfs_above_trip_count",
                 "Readings in a row above the band of the controller legacy.", "node");
static JD_FAMILY(below_trips, JD_GAUGE, "joulie_dvfs_below_trip_count",
                 "Readings in a row below the band of the controller legacy.", "node");
static JD_FAMILY(now_khz, JD_GAUGE, "joulie_dvfs_cpu_cur_freq_khz",
                 "Frequency of a policy now; cpu: its first CPU.", "node", "cpu");
static JD_FAMILY(max_khz, JD_GAUGE, "joulie_dvfs_cpu_max_freq_khz",
                 "Highest frequency that a policy may take.", "node", "cpu");
static JD_FAMILY(dvfs_actions, JD_COUNTER, "joulie_dvfs_actions_total",
                 "Steps to a higher or lower throttle.", "node", "action");
static JD_FAMILY(reconcile_errors, JD_COUNTER, "joulie_reconcile_errors_total",
                 "Steps that failed.", "node");
static JD_FAMILY(requested, JD_GAUGE, "joulie_cap_requested_watts",
                 "Cap that is kept; device: package-N, gpu id, cpu and gpu of a remote node.",
                 "node", "device");
static JD_FAMILY(limit, JD_GAUGE, "joulie_cap_limit_watts", "Limit that reads back.", "node",
                 "device");
static JD_FAMILY(result_family, JD_GAUGE, "joulie_cap_result",
                 "1 for what became of the caps of a part.", "node", "part", "result");
static JD_FAMILY(restores, JD_COUNTER, "joulie_cap_restores_total", "Limits that were given back.",
                 "node", "reason");
static JD_FAMILY(quality, JD_GAUGE, "joulie_sample_quality",
                 "1 for the quality of the last reading.", "node", "source", "quality");

static const char *const modes[] = { "none", "rapl", "dvfs" };
static const char *const results[] = { "applied", "pending", "blocked", "error", "none" };

/* A number that is not known now is absent, whatever it was. */
static void put(struct jd_metrics *metrics, const struct jd_family *family,
                const char *const *labels, bool is_known, double value)
{
    if (is_known)
        jd_metric_set(metrics, family, labels, value);
    else
        jd_metric_remove(metrics, family, labels);
}

/* 1 for one of the words, 0 for the others. */
static void set_word(struct jd_metrics *metrics, const struct jd_family *family,
                     const char *const *words, size_t count, const char *node, const char *part,
                     const char *word)
{
    for (size_t i = 0; i < count; i++) {
        const double value = jl_same(words[i], word) ? 1 : 0;
        if (part)
            jd_metric_set(metrics, family, JD_LABELS(node, part, words[i]), value);
        else
            jd_metric_set(metrics, family, JD_LABELS(node, words[i]), value);
    }
}

static void set_quality(struct jd_metrics *metrics, const char *node, enum jd_quality now)
{
    set_word(metrics, &quality, jd_quality_words, JD_FRESH + 1, node, "cpu", jd_quality_words[now]);
}

void jd_metrics_sample(struct jd_metrics *metrics, const char *node, const struct jd_sample *sample)
{
    set_quality(metrics, node, sample->quality);
    put(metrics, &zone_power, JD_LABELS(node, "cpu"), sample->cpu.is_known, sample->cpu.w);
    put(metrics, &observed_power, JD_LABELS(node), sample->cpu.is_known, sample->cpu.w);
    put(metrics, &gpu_power, JD_LABELS(node, "remote"), sample->gpu.is_known, sample->gpu.w);
    put(metrics, &gpu_cap, JD_LABELS(node, "remote"), sample->gpu_limit.is_known,
        sample->gpu_limit.w);
    put(metrics, &throttle, JD_LABELS(node), sample->has_throttle, sample->throttle_pct);
}

/* "package-0", or the id of a GPU. */
static void put_device(struct json_object *item, struct jl_buffer *out)
{
    const char *id = jd_json_text(item, "id");
    double index = 0;
    if (id) {
        jl_put_string(out, id);
        return;
    }
    jd_json_number(item, "index", &index);
    jl_put_string(out, "package-");
    jl_put_i64(out, (int64_t)index);
}

static void set_device(struct jd_metrics *metrics, const char *node, struct json_object *item)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer device = { 0 };
    double watts = 0;
    put_device(item, &device);
    if (!device.is_failed && jd_json_number(item, "capWatts", &watts))
        jd_metric_set(metrics, &requested, JD_LABELS(node, device.data), watts);
    if (!device.is_failed && jd_json_number(item, "limitWatts", &watts))
        jd_metric_set(metrics, &limit, JD_LABELS(node, device.data), watts);
}

static void set_devices(struct jd_metrics *metrics, const char *node, struct json_object *part,
                        const char *path)
{
    struct json_object *list = jd_json_at(part, path);
    for (size_t i = 0; i < jd_json_count(list); i++)
        set_device(metrics, node, json_object_array_get_idx(list, i));
}

void jd_metrics_report(struct jd_metrics *metrics, const char *node, struct json_object *report)
{
    double number = 0;
    struct json_object *cpu = json_object_object_get(report, "cpu");
    struct json_object *gpu = json_object_object_get(report, "gpu");
    jd_metric_drop(metrics, &requested, node);
    jd_metric_drop(metrics, &limit, node);
    set_word(metrics, &backend_mode, modes, JL_COUNT(modes), node, NULL,
             jd_json_text(cpu, "backend"));
    set_word(metrics, &result_family, results, JL_COUNT(results), node, "cpu",
             jd_json_text(cpu, "result"));
    set_word(metrics, &result_family, results, JL_COUNT(results), node, "gpu",
             jd_json_text(gpu, "result"));
    set_devices(metrics, node, cpu, "observed.packages");
    set_devices(metrics, node, gpu, "observed.devices");
    if (jd_json_number(cpu, "observed.throttlePct", &number))
        jd_metric_set(metrics, &throttle, JD_LABELS(node), number);
}

static const char *reason_of(struct json_object *report)
{
    static const char *const reasons[][2] = {
        { "no NodeTwin selected", "no-twin" },
        { "NodeTwin is stale", "stale" },
    };
    for (size_t i = 0; i < JL_COUNT(reasons); i++) {
        if (jl_same(jd_json_text(report, "cpu.message"), reasons[i][0]))
            return reasons[i][1];
    }
    return "no-intent";
}

void jd_metrics_restored(struct jd_metrics *metrics, const char *node, const char *why,
                         struct json_object *report, uint64_t count)
{
    if (count > 0)
        jd_metric_add(metrics, &restores, JD_LABELS(node, why ? why : reason_of(report)),
                      (double)count);
}

void jd_metrics_error(struct jd_metrics *metrics, const char *node)
{
    jd_metric_add(metrics, &reconcile_errors, JD_LABELS(node), 1);
}

/* true = it is a package, whose watts belong to the sum of all of them. */
static bool put_zone(struct jd_metrics *metrics, const char *node,
                     const struct joulie_host_zone *zone)
{
    const bool has_power = (zone->has & JOULIE_HOST_ZONE_HAS_POWER) != 0;
    put(metrics, &energy, JD_LABELS(node, zone->name),
        (zone->has & JOULIE_HOST_ZONE_HAS_ENERGY) != 0, (double)zone->energy_j * UJ_PER_J);
    put(metrics, &rapl_power, JD_LABELS(node, zone->name), has_power, zone->power_w);
    put(metrics, &zone_power, JD_LABELS(node, zone->name), has_power, zone->power_w);
    return zone->kind == JOULIE_HOST_ZONE_KIND_PACKAGE;
}

void jd_metrics_zones(struct jd_metrics *metrics, const char *node, struct joulie_host *host)
{
    double total_w = 0;
    size_t packages = 0, known = 0;
    for (size_t i = 0;; i++) {
        struct joulie_host_zone zone = JOULIE_INIT(struct joulie_host_zone);
        if (joulie_host_zone_at(host, i, &zone, NULL) != JOULIE_OK)
            break;
        if (!put_zone(metrics, node, &zone))
            continue;
        packages++;
        known += (zone.has & JOULIE_HOST_ZONE_HAS_POWER) != 0;
        total_w += zone.power_w;
    }
    const bool has_total = packages > 0 && known == packages; /* a part of it is no total */
    put(metrics, &total_power, JD_LABELS(node), has_total, total_w);
    set_quality(metrics, node, has_total ? JD_FRESH : JD_MISSING);
}

void jd_metrics_dvfs(struct jd_metrics *metrics, const char *node, struct joulie_host *host)
{
    struct joulie_host_dvfs dvfs = JOULIE_INIT(struct joulie_host_dvfs);
    if (joulie_host_get_dvfs(host, &dvfs, NULL) != JOULIE_OK)
        return;
    const bool has_trips = (dvfs.has & JOULIE_HOST_DVFS_HAS_TRIPS) != 0;
    put(metrics, &observed_power, JD_LABELS(node), (dvfs.has & JOULIE_HOST_DVFS_HAS_POWER) != 0,
        dvfs.power_w);
    put(metrics, &ema_power, JD_LABELS(node), (dvfs.has & JOULIE_HOST_DVFS_HAS_EMA) != 0,
        dvfs.ema_w);
    put(metrics, &above_trips, JD_LABELS(node), has_trips, (double)dvfs.above_trips);
    put(metrics, &below_trips, JD_LABELS(node), has_trips, (double)dvfs.below_trips);
    jd_metric_set(metrics, &dvfs_actions, JD_LABELS(node, "throttle_up"), (double)dvfs.ups);
    jd_metric_set(metrics, &dvfs_actions, JD_LABELS(node, "throttle_down"), (double)dvfs.downs);
}

void jd_metrics_policies(struct jd_metrics *metrics, const char *node, struct joulie_host *host)
{
    jd_metric_drop(metrics, &now_khz, node);
    jd_metric_drop(metrics, &max_khz, node);
    for (size_t i = 0;; i++) {
        struct joulie_host_policy policy = JOULIE_INIT(struct joulie_host_policy);
        char cpu[JL_DOUBLE_TEXT];
        if (joulie_host_policy_at(host, i, &policy, NULL) != JOULIE_OK)
            return;
        cpu[jl_format_i64((int64_t)policy.number, cpu)] = '\0';
        put(metrics, &now_khz, JD_LABELS(node, cpu), (policy.has & JOULIE_HOST_POLICY_HAS_NOW) != 0,
            (double)policy.now_khz);
        put(metrics, &max_khz, JD_LABELS(node, cpu), (policy.has & JOULIE_HOST_POLICY_HAS_MAX) != 0,
            (double)policy.max_khz);
    }
}

void jd_metrics_policy(struct jd_metrics *metrics, const char *node, struct json_object *twin,
                       struct json_object *hardware)
{
    const char *policy = jd_json_text(twin, "spec.policy.name");
    double watts = 0;
    double pct = 0;
    jd_metric_drop(metrics, &policy_cap, node);
    jd_metric_drop(metrics, &policy_cap_unknown, node);
    if (!jd_json_number(twin, "spec.cpu.packagePowerCapWatts", &watts) || !(watts > 0)) {
        if (!jd_json_number(twin, "spec.cpu.packagePowerCapPctOfMax", &pct))
            return;
        double max_w = 0;
        jd_json_number(hardware, "status.cpu.capRange.maxWattsPerSocket", &max_w);
        watts = max_w * pct / 100;
    }
    if (watts > 0)
        jd_metric_set(metrics, &policy_cap, JD_LABELS(node, policy ? policy : ""), watts);
    else
        jd_metric_set(metrics, &policy_cap_unknown, JD_LABELS(node, "no-maximum"), 1);
}
