/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bodies of telemetry, state and control of a simulated machine
 * (docs/rules/simulator-contract.md). Called for joulie_sim_body() and joulie_sim_control().
 */

#include "sim/contract.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/time.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "sim/emit.h"
#include "sim/node.h"
#include "sim/power.h"

#define PERCENT 100
#define US_PER_MS 1000

#define EVERY UINT64_MAX /* member is there; those that are unknown are taken out again */

/* ---- bodies (docs/rules/simulator-contract.md#telemetry) ---- */

#define RECORD cpu_body
#define MEMBERS                                                                 \
    NUMBER(average_w, "packagePowerWatts", "Power of all packages, W.")         \
    NUMBER(power_w, "instantPowerWatts", "The same: nothing is averaged.")      \
    NUMBER(util, "utilization", "0 to 1.")                                      \
    NUMBER(memory, "memoryIntensity", "0 to 1.")                                \
    NUMBER(io, "ioIntensity", "0 to 1.")                                        \
    STRING(work_class, "workClass", "What most of the work is bound by.")       \
    NUMBER(freq, "freqScale", "Frequency over the largest.")                    \
    NUMBER(throttle_pct, "throttlePct", "Throttle that is in force, 0 to 100.") \
    NUMBER(thermal_pct, "thermalThrottlePct", "Throttle by heat, 0 to 100.")    \
    NUMBER(temp_c, "temperatureC", "Temperature, degrees Celsius.")             \
    NUMBER(cap_w, "capWatts", "Cap that is in force, W.")                       \
    NUMBER(target_w, "targetCapWatts", "Cap that was asked for, W.")            \
    NUMBER(rapl_w, "raplCapWatts", "Cap in force within the RAPL range, W.")    \
    BOOLEAN(is_saturated, "capSaturated", "Even the lowest frequency is above the cap.")
#include "schema/record.h"

#define RECORD gpu_body
#define MEMBERS                                                                           \
    BOOLEAN(present, "present", "false: the other members are absent.")                   \
    STRING(vendor, "vendor", "nvidia or amd.")                                            \
    STRING(product, "product", "As the inventory names it.")                              \
    INTEGER(devices, "count", "Devices.")                                                 \
    NUMBER(power_w, "powerWattsTotal", "Power of all devices, W.")                        \
    NUMBER(average_w, "avgPowerWattsTotal", "The same: nothing is averaged.")             \
    NUMBER(cap_w, "capWattsPerGpuApplied", "Cap of each device that is in force, W.")     \
    NUMBER(target_w, "capWattsPerGpuTarget", "Cap of each device that was asked for, W.") \
    NUMBER(util, "utilization", "0 to 1.")                                                \
    NUMBER(memory, "memoryIntensity", "0 to 1.")                                          \
    NUMBER(feed, "cpuFeedIntensity", "How much the CPUs have to feed them, 0 to 1.")      \
    STRING(work_class, "workClass", "What most of the work is bound by.")                 \
    NUMBER(speed, "perfMultiplier", "Throughput of a device that works, 0 to 1.")
#include "schema/record.h"

#define RECORD hardware_body
#define MEMBERS                                                                \
    STRING(cpu_model, "cpuModel", "Key of the catalog.")                       \
    STRING(cpu_provenance, "cpuProvenance", "Where the catalog has it from.")  \
    STRING(curve_source, "cpuCurveSource", "Model whose power curve is used.") \
    STRING(proxy_from, "cpuProxyFrom", "The same, when it is another model.")  \
    STRING(gpu_provenance, "gpuProvenance", "Where the catalog has it from.")
#include "schema/record.h"

#define RECORD classes_body
#define MEMBERS                                  \
    INTEGER(performance, "performance", "Pods.") \
    INTEGER(standard, "standard", "Pods.")
#include "schema/record.h"

#define RECORD pods_body
#define MEMBERS                                         \
    INTEGER(running, "running", "Pods on the machine.") \
    OBJECT(classes, "byIntentClass", classes_body, "By class.")
#include "schema/record.h"

#define RECORD telemetry_body
#define MEMBERS                                                                   \
    STRING(node, "node", "Name of the machine.")                                  \
    NUMBER(average_w, "packagePowerWatts", "Power of CPUs and GPUs, W.")          \
    NUMBER(power_w, "instantPackagePowerWatts", "The same: nothing is averaged.") \
    OBJECT(cpu, "cpu", cpu_body, "All packages.")                                 \
    OBJECT(gpu, "gpu", gpu_body, "All devices.")                                  \
    OBJECT(hardware, "hardwareModel", hardware_body, "Models of the catalog.")    \
    OBJECT(pods, "pods", pods_body, "What runs there.")                           \
    STRING(ts, "ts", "Virtual time, RFC 3339 with microseconds.")
#include "schema/record.h"

#define RECORD device_body
#define MEMBERS                                                          \
    INTEGER(index, "index", "From 0.")                                   \
    NUMBER(cap_w, "capWatts", "Cap that is in force, W.")                \
    NUMBER(target_w, "targetCapWatts", "Cap that was asked for, W.")     \
    NUMBER(power_w, "powerWatts", "Power, W.")                           \
    NUMBER(average_w, "avgPowerWatts", "The same: nothing is averaged.") \
    NUMBER(speed, "perfMultiplier", "Throughput, 0 to 1; absent when idle.")
#include "schema/record.h"

#define RECORD state_body
#define MEMBERS                                                                                \
    NUMBER(cap_w, "capWatts", "CPU cap that is in force, W.")                                  \
    NUMBER(target_w, "targetCapWatts", "CPU cap that was asked for, W.")                       \
    NUMBER(throttle_pct, "throttlePct", "Throttle that is in force, 0 to 100.")                \
    NUMBER(target_throttle_pct, "targetThrottlePct", "Throttle that was asked for, 0 to 100.") \
    NUMBER(freq, "freqScale", "Frequency over the largest.")                                   \
    NUMBER(cpu_util, "cpuUtil", "0 to 1.")                                                     \
    STRING(action, "lastAction", "The last control; absent before the first.")                 \
    STRING(result, "lastResult", "applied, blocked or error.")                                 \
    STRING(updated, "lastUpdate", "When, RFC 3339.")                                           \
    INTEGER(pods, "podsRunning", "Pods on the machine.")                                       \
    STRING(power_state, "powerState", "stopping, off or booting; absent when it is on.")       \
    NUMBER(gpu_cap_w, "gpuCapWattsPerGpuApplied", "Cap of each device that is in force, W.")   \
    NUMBER(gpu_target_w, "gpuCapWattsPerGpuTarget", "Cap of each device that was asked for, W.")
#include "schema/record.h"

/* ---- filling them ---- */

/* With milliseconds: two readings in one second differ. */
static void format_now(const struct jl_sim_fleet *fleet, char out[JL_TIME_TEXT])
{
    jl_format_time_us(jl_sim_instant_ms(fleet->now_s) * US_PER_MS, out);
}

double jl_sim_throttle_pct(const struct jl_sim_node_now *now)
{
    return jl_round_half_away((1 - now->freq_limit) * PERCENT);
}

double jl_sim_rapl_cap_w(const struct jl_sim_node *node, const struct jl_sim_node_now *now)
{
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    return jl_clamp(now->cpu_cap_w, profile->cap_min_w, profile->cap_max_w);
}

/* Average and instant power are the same here; both are served because clients read either. */
static void fill_cpu(const struct jl_sim_node *node, const struct jl_sim_node_now *now,
                     const struct jl_node_load *load, struct cpu_body *out)
{
    *out = (struct cpu_body){
        .has = EVERY,
        .average_w = node->cpu.power_w,
        .power_w = node->cpu.power_w,
        .util = node->cpu_util,
        .memory = load->memory,
        .io = load->io,
        .work_class = jl_word_of(&jl_cpu_class_words, (int)load->cpu_class),
        .freq = node->freq,
        .throttle_pct = jl_sim_throttle_pct(now),
        .thermal_pct = now->thermal * PERCENT,
        .temp_c = now->temp_c,
        .cap_w = now->cpu_cap_w,
        .target_w = node->cpu_cap.target,
        .rapl_w = jl_sim_rapl_cap_w(node, now),
        .is_saturated = node->is_saturated,
    };
}

/* The devices of a node, or NULL when memory ran out. */
static struct jl_sim_device *devices_of(const struct jl_sim_fleet *fleet, size_t index)
{
    const int64_t count = fleet->nodes[index].machine->family->gpus;
    struct jl_sim_device *devices = jl_calloc((size_t)count, sizeof *devices);
    if (devices)
        jl_sim_node_devices(fleet, index, devices);
    return devices;
}

/* Of the devices that work; 1 when none does. */
static double mean_speed(const struct jl_sim_device *devices, int64_t count)
{
    double sum = 0;
    int64_t active = 0;
    for (; active < count && devices[active].is_active; active++)
        sum += devices[active].speed;
    return active > 0 ? sum / (double)active : 1;
}

static int fill_gpu(const struct jl_sim_fleet *fleet, size_t index,
                    const struct jl_sim_node_now *now, const struct jl_node_load *load,
                    struct gpu_body *out)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_sim_family *family = node->machine->family;
    *out = (struct gpu_body){ .has = 0 };
    JL_SET(out, present, family->gpus > 0);
    if (family->gpus == 0)
        return 0;
    JL_CLEANUP(jl_freep) struct jl_sim_device *devices = devices_of(fleet, index);
    if (!devices)
        return JOULIE_E_NOMEM;
    *out = (struct gpu_body){
        .has = EVERY,
        .present = true,
        .vendor = family->gpu_vendor,
        .product = family->gpu_text,
        .devices = family->gpus,
        .power_w = node->gpu.power_w,
        .average_w = node->gpu.power_w,
        .cap_w = now->gpu_cap_w,
        .target_w = node->gpu_cap.target,
        .util = node->gpu_util,
        .memory = load->memory,
        .feed = load->feed,
        .work_class = jl_word_of(&jl_gpu_class_words, (int)load->gpu_class),
        .speed = mean_speed(devices, family->gpus),
    };
    out->given.vendor = out->vendor != NULL;
    out->given.product = out->product != NULL;
    return 0;
}

/* Proxy: the curve is another family's, scaled by TDP. */
static void fill_hardware(const struct jl_sim_family *family, struct hardware_body *out)
{
    const struct jl_cpu_model *curve = family->profile.curve_model;
    *out = (struct hardware_body){ .has = 0 };
    if (family->cpu_model) {
        JL_SET(out, cpu_model, family->cpu_model->key);
        JL_SET(out, cpu_provenance, family->cpu_model->provenance);
    }
    if (curve)
        JL_SET(out, curve_source, curve->curve->family);
    if (curve && curve->proxy_family)
        JL_SET(out, proxy_from, curve->proxy_family);
    if (family->gpu_model)
        JL_SET(out, gpu_provenance, family->gpu_model->provenance);
}

static void fill_pods(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                      struct pods_body *out)
{
    *out = (struct pods_body){ .has = EVERY,
                               .running = (int64_t)node->job_count,
                               .classes = { .has = EVERY } };
    for (size_t i = 0; i < node->job_count; i++)
        out->classes.performance += fleet->workload->tasks[node->jobs[i]].job->is_performance;
    out->classes.standard = out->running - out->classes.performance;
}

/* Telemetry is the node's power at the step, so what the source averages over a window is the power
 * now; and it is not rounded. */
int jl_sim_put_telemetry(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now now;
    struct jl_node_load load;
    char ts[JL_TIME_TEXT];
    format_now(fleet, ts);
    jl_sim_node_now(fleet, index, &now);
    jl_sim_node_load(fleet, node, &load);
    struct telemetry_body body = {
        .has = EVERY,
        .node = node->machine->name,
        .average_w = node->cpu.power_w + node->gpu.power_w,
        .power_w = node->cpu.power_w + node->gpu.power_w,
        .ts = ts,
    };
    fill_cpu(node, &now, &load, &body.cpu);
    if (fill_gpu(fleet, index, &now, &load, &body.gpu) < 0)
        return JOULIE_E_NOMEM;
    fill_hardware(node->machine->family, &body.hardware);
    fill_pods(fleet, node, &body.pods);
    jl_encode(out, &telemetry_body_table, &body);
    return jl_buffer_code(out);
}

static void put_node_state(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now now;
    char updated[JL_TIME_TEXT];
    jl_sim_node_now(fleet, index, &now);
    struct state_body state = {
        .has = EVERY,
        .cap_w = now.cpu_cap_w,
        .target_w = node->cpu_cap.target,
        .throttle_pct = jl_sim_throttle_pct(&now),
        .target_throttle_pct = node->throttle_pct,
        .freq = node->freq,
        .cpu_util = node->cpu_util,
        .updated = updated,
        .pods = (int64_t)node->job_count,
        .power_state = jl_word_of(&jl_sim_power_words, (int)node->power_state),
        .gpu_cap_w = now.gpu_cap_w,
        .gpu_target_w = node->gpu_cap.target,
    };
    if (node->request.action) {
        state.action = node->request.action;
        state.result = node->request.result;
        jl_format_time_us(jl_sim_instant_ms(node->request.at_s) * US_PER_MS, updated);
    } else {
        state.given.action = false;
        state.given.result = false;
        state.given.updated = false;
    }
    state.given.power_state = node->power_state != JL_NODE_ON;
    if (node->machine->family->gpus == 0) {
        state.given.gpu_cap_w = false;
        state.given.gpu_target_w = false;
    }
    jl_encode(out, &state_body_table, &state);
}

/* A device's temperature is not kept: no GPU of the catalog gets hot enough to throttle. */
static int put_devices(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now now;
    JL_CLEANUP(jl_freep) struct jl_sim_device *devices = devices_of(fleet, index);
    if (!devices)
        return JOULIE_E_NOMEM;
    jl_sim_node_now(fleet, index, &now);
    for (int64_t i = 0; i < node->machine->family->gpus; i++) {
        struct device_body body = {
            .has = EVERY,
            .index = i,
            .cap_w = now.gpu_cap_w,
            .target_w = node->gpu_cap.target,
            .power_w = devices[i].power_w,
            .average_w = devices[i].power_w,
            .speed = devices[i].speed,
        };
        body.given.speed = devices[i].is_active;
        jl_put_string(out, i > 0 ? "," : "");
        jl_encode(out, &device_body_table, &body);
    }
    return 0;
}

int jl_sim_put_state(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    jl_put_char(out, '{');
    jl_emit_text(out, "node", node->machine->name);
    jl_emit_key(out, "state");
    put_node_state(out, fleet, index);
    if (node->machine->family->gpus > 0) {
        jl_put_string(out, ",\"gpu\":{\"devices\":[");
        if (put_devices(out, fleet, index) < 0)
            return JOULIE_E_NOMEM;
        jl_put_string(out, "]}");
    }
    jl_put_char(out, '}');
    return jl_buffer_code(out);
}

/* ---- control ---- */

#define RECORD control_body
#define MEMBERS                                                                              \
    STRING(action, "action", "What to do; one of docs/rules/simulator-contract.md#control.") \
    NUMBER(cap_w, "capWatts", "Cap of all packages, W; 0 and less gives it back.")           \
    NUMBER(throttle_pct, "throttlePct", "How much slower than the most, 0 to 100.")          \
    NUMBER(gpu_cap_w, "capWattsPerGpu", "Cap of each device, W.")
#include "schema/record.h"

struct outcome {
    const char *action; /* a constant */
    const char *result;
    const char *message;
};

/* A cap of 0 or less gives the cap back; the source only calls it applied. */
static void set_cpu_cap(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                        struct outcome *out)
{
    if (!body->given.cap_w) {
        out->result = "error";
        out->message = "capWatts is missing";
        return;
    }
    jl_sim_set_cpu_cap(fleet, index, body->cap_w);
    out->message = body->cap_w > 0 ? "cap is set" : "cap is given back";
}

static void set_throttle(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                         struct outcome *out)
{
    if (!body->given.throttle_pct) {
        out->result = "error";
        out->message = "throttlePct is missing";
        return;
    }
    jl_sim_set_throttle(fleet, index, jl_clamp(body->throttle_pct, 0, PERCENT));
    out->message = "throttle is set";
}

static void set_gpu_cap(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                        struct outcome *out)
{
    if (fleet->nodes[index].machine->family->gpus == 0) {
        out->result = "blocked";
        out->message = "gpu not present on node model";
        return;
    }
    if (!body->given.gpu_cap_w || body->gpu_cap_w <= 0) {
        out->result = "error";
        out->message = "capWattsPerGpu must be > 0";
        return;
    }
    jl_sim_set_gpu_cap(fleet, index, body->gpu_cap_w);
    out->message = "cap is set on every device";
}

static void power_off(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                      struct outcome *out)
{
    (void)body;
    out->message = "it stops";
    if (jl_sim_node_power_off(fleet, index))
        return;
    out->result = "blocked";
    out->message = fleet->nodes[index].job_count > 0 ? "pods run on it" : "it is not on";
}

static void power_on(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                     struct outcome *out)
{
    (void)body;
    const bool is_changed = jl_sim_node_power_on(fleet, index);
    out->message = is_changed ? "it boots" : "it is on, or will be";
}

static const struct {
    const char *action;
    void (*apply)(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                  struct outcome *out);
} controls[] = {
    { "rapl.set_power_cap_watts", set_cpu_cap },
    { "dvfs.set_throttle_pct", set_throttle },
    { "gpu.set_power_cap_watts", set_gpu_cap },
    { "node.power_off", power_off },
    { "node.power_on", power_on },
};

/* An action that does not exist is answered, not refused: clients read `result`. */
static void apply(struct jl_sim_fleet *fleet, size_t index, const struct control_body *body,
                  struct outcome *out)
{
    *out = (struct outcome){ "", "error", "unsupported action" };
    for (size_t i = 0; i < JL_COUNT(controls); i++) {
        if (body->given.action && jl_same(body->action, controls[i].action)) {
            *out = (struct outcome){ controls[i].action, "applied", "" };
            controls[i].apply(fleet, index, body, out);
        }
    }
}

int jl_sim_do_control(struct jl_buffer *out, struct jl_sim_fleet *fleet, size_t index,
                      const char *text, size_t len, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_sim_node *node = &fleet->nodes[index];
    struct control_body body;
    struct outcome outcome;
    struct jl_decode decode = {
        .arena = &arena, .text = text, .len = len, .flags = JL_LENIENT, .err = err
    };
    const int rc = jl_decode_document(&decode, &control_body_table, &body);
    if (rc < 0)
        return rc;
    apply(fleet, index, &body, &outcome);
    node->request = (struct jl_sim_request){ outcome.action, outcome.result, fleet->now_s };
    jl_put_char(out, '{');
    jl_emit_bool(out, "ok", jl_same(outcome.result, "applied"));
    jl_emit_text(out, "result", outcome.result);
    jl_emit_text(out, "node", node->machine->name);
    jl_emit_text(out, "message", outcome.message);
    jl_emit_key(out, "state");
    put_node_state(out, fleet, index);
    jl_emit_number(out, "simulatedPackagePowerWatts", node->cpu.power_w + node->gpu.power_w);
    jl_put_char(out, '}');
    return jl_buffer_code(out);
}
