/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bodies of telemetry, state and control of a simulated machine
 * (docs/rules/simulator-contract.md). Called for joulie_sim_tell() and joulie_sim_control().
 */

#include "sim/contract.h"

#include "base/number.h"
#include "base/time.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "sim/emit.h"
#include "sim/node.h"
#include "sim/node_load.h"

#define PERCENT 100
#define US_PER_MS 1000

/* Every row of a table: members that are unknown are unmarked. */
#define ALL_OF(rows) ((UINT64_C(1) << JL_COUNT(rows)) - 1)

/* ---- bodies ---- */

struct cpu_body {
    uint64_t has;
    double average_w;
    double power_w;
    double util;
    double memory;
    double io;
    const char *work_class;
    double freq;
    double throttle_pct;
    double thermal_pct;
    double temp_c;
    double cap_w;
    double target_w;
    double rapl_w;
    bool is_saturated;
};

static const struct jl_row cpu_rows[] = {
    JL_NUMBER(cpu_body, average_w, "packagePowerWatts"),
    JL_NUMBER(cpu_body, power_w, "instantPowerWatts"),
    JL_NUMBER(cpu_body, util, "utilization"),
    JL_NUMBER(cpu_body, memory, "memoryIntensity"),
    JL_NUMBER(cpu_body, io, "ioIntensity"),
    JL_STRING(cpu_body, work_class, "workClass"),
    JL_NUMBER(cpu_body, freq, "freqScale"),
    JL_NUMBER(cpu_body, throttle_pct, "throttlePct"),
    JL_NUMBER(cpu_body, thermal_pct, "thermalThrottlePct"),
    JL_NUMBER(cpu_body, temp_c, "temperatureC"),
    JL_NUMBER(cpu_body, cap_w, "capWatts"),
    JL_NUMBER(cpu_body, target_w, "targetCapWatts"),
    JL_NUMBER(cpu_body, rapl_w, "raplCapWatts"),
    JL_BOOLEAN(cpu_body, is_saturated, "capSaturated"),
};
static const struct jl_table cpu_table = JL_TABLE(cpu_body, cpu_rows);

struct gpu_body {
    uint64_t has;
    bool present;
    const char *vendor;
    const char *product;
    int64_t count;
    double power_w;
    double average_w;
    double cap_w;
    double target_w;
    double util;
    double memory;
    double feed;
    const char *work_class;
    double speed;
};

enum { GPU_PRESENT, GPU_VENDOR, GPU_PRODUCT };

static const struct jl_row gpu_rows[] = {
    [GPU_PRESENT] = JL_BOOLEAN(gpu_body, present, "present"),
    [GPU_VENDOR] = JL_STRING(gpu_body, vendor, "vendor"),
    [GPU_PRODUCT] = JL_STRING(gpu_body, product, "product"),
    JL_INTEGER(gpu_body, count, "count"),
    JL_NUMBER(gpu_body, power_w, "powerWattsTotal"),
    JL_NUMBER(gpu_body, average_w, "avgPowerWattsTotal"),
    JL_NUMBER(gpu_body, cap_w, "capWattsPerGpuApplied"),
    JL_NUMBER(gpu_body, target_w, "capWattsPerGpuTarget"),
    JL_NUMBER(gpu_body, util, "utilization"),
    JL_NUMBER(gpu_body, memory, "memoryIntensity"),
    JL_NUMBER(gpu_body, feed, "cpuFeedIntensity"),
    JL_STRING(gpu_body, work_class, "workClass"),
    JL_NUMBER(gpu_body, speed, "perfMultiplier"),
};
static const struct jl_table gpu_table = JL_TABLE(gpu_body, gpu_rows);

struct hardware_body {
    uint64_t has;
    const char *cpu_model;
    const char *cpu_provenance;
    const char *curve_source;
    const char *proxy_from;
    const char *gpu_provenance;
};

enum { HARDWARE_CPU, HARDWARE_CPU_PROVENANCE, HARDWARE_CURVE, HARDWARE_PROXY, HARDWARE_GPU };

static const struct jl_row hardware_rows[] = {
    [HARDWARE_CPU] = JL_STRING(hardware_body, cpu_model, "cpuModel"),
    [HARDWARE_CPU_PROVENANCE] = JL_STRING(hardware_body, cpu_provenance, "cpuProvenance"),
    [HARDWARE_CURVE] = JL_STRING(hardware_body, curve_source, "cpuCurveSource"),
    [HARDWARE_PROXY] = JL_STRING(hardware_body, proxy_from, "cpuProxyFrom"),
    [HARDWARE_GPU] = JL_STRING(hardware_body, gpu_provenance, "gpuProvenance"),
};
static const struct jl_table hardware_table = JL_TABLE(hardware_body, hardware_rows);

struct classes_body {
    uint64_t has;
    int64_t performance;
    int64_t standard;
};

static const struct jl_row classes_rows[] = {
    JL_INTEGER(classes_body, performance, "performance"),
    JL_INTEGER(classes_body, standard, "standard"),
};
static const struct jl_table classes_table = JL_TABLE(classes_body, classes_rows);

struct pods_body {
    uint64_t has;
    int64_t running;
    struct classes_body classes;
};

static const struct jl_row pods_rows[] = {
    JL_INTEGER(pods_body, running, "running"),
    JL_OBJECT(pods_body, classes, "byIntentClass", &classes_table),
};
static const struct jl_table pods_table = JL_TABLE(pods_body, pods_rows);

struct telemetry_body {
    uint64_t has;
    const char *node;
    double average_w;
    double power_w;
    struct cpu_body cpu;
    struct gpu_body gpu;
    struct hardware_body hardware;
    struct pods_body pods;
    const char *ts;
};

static const struct jl_row telemetry_rows[] = {
    JL_STRING(telemetry_body, node, "node"),
    JL_NUMBER(telemetry_body, average_w, "packagePowerWatts"),
    JL_NUMBER(telemetry_body, power_w, "instantPackagePowerWatts"),
    JL_OBJECT(telemetry_body, cpu, "cpu", &cpu_table),
    JL_OBJECT(telemetry_body, gpu, "gpu", &gpu_table),
    JL_OBJECT(telemetry_body, hardware, "hardwareModel", &hardware_table),
    JL_OBJECT(telemetry_body, pods, "pods", &pods_table),
    JL_STRING(telemetry_body, ts, "ts"),
};
static const struct jl_table telemetry_table = JL_TABLE(telemetry_body, telemetry_rows);

struct device_body {
    uint64_t has;
    int64_t index;
    double cap_w;
    double target_w;
    double power_w;
    double average_w;
    double speed;
};

enum {
    DEVICE_INDEX,
    DEVICE_CAP,
    DEVICE_TARGET,
    DEVICE_POWER,
    DEVICE_AVERAGE,
    DEVICE_SPEED,
};

static const struct jl_row device_rows[] = {
    [DEVICE_INDEX] = JL_INTEGER(device_body, index, "index"),
    [DEVICE_CAP] = JL_NUMBER(device_body, cap_w, "capWatts"),
    [DEVICE_TARGET] = JL_NUMBER(device_body, target_w, "targetCapWatts"),
    [DEVICE_POWER] = JL_NUMBER(device_body, power_w, "powerWatts"),
    [DEVICE_AVERAGE] = JL_NUMBER(device_body, average_w, "avgPowerWatts"),
    [DEVICE_SPEED] = JL_NUMBER(device_body, speed, "perfMultiplier"),
};
static const struct jl_table device_table = JL_TABLE(device_body, device_rows);

struct state_body {
    uint64_t has;
    double cap_w;
    double target_w;
    double throttle_pct;
    double target_throttle_pct;
    double freq;
    double cpu_util;
    const char *action;
    const char *result;
    const char *updated;
    int64_t pods;
    double gpu_cap_w;
    double gpu_target_w;
};

enum {
    STATE_CAP,
    STATE_TARGET,
    STATE_THROTTLE,
    STATE_TARGET_THROTTLE,
    STATE_FREQ,
    STATE_UTIL,
    STATE_ACTION,
    STATE_RESULT,
    STATE_UPDATED,
    STATE_PODS,
    STATE_GPU_CAP,
    STATE_GPU_TARGET,
};

static const struct jl_row state_rows[] = {
    [STATE_CAP] = JL_NUMBER(state_body, cap_w, "capWatts"),
    [STATE_TARGET] = JL_NUMBER(state_body, target_w, "targetCapWatts"),
    [STATE_THROTTLE] = JL_NUMBER(state_body, throttle_pct, "throttlePct"),
    [STATE_TARGET_THROTTLE] = JL_NUMBER(state_body, target_throttle_pct, "targetThrottlePct"),
    [STATE_FREQ] = JL_NUMBER(state_body, freq, "freqScale"),
    [STATE_UTIL] = JL_NUMBER(state_body, cpu_util, "cpuUtil"),
    [STATE_ACTION] = JL_STRING(state_body, action, "lastAction"),
    [STATE_RESULT] = JL_STRING(state_body, result, "lastResult"),
    [STATE_UPDATED] = JL_STRING(state_body, updated, "lastUpdate"),
    [STATE_PODS] = JL_INTEGER(state_body, pods, "podsRunning"),
    [STATE_GPU_CAP] = JL_NUMBER(state_body, gpu_cap_w, "gpuCapWattsPerGpuApplied"),
    [STATE_GPU_TARGET] = JL_NUMBER(state_body, gpu_target_w, "gpuCapWattsPerGpuTarget"),
};
static const struct jl_table state_table = JL_TABLE(state_body, state_rows);

/* ---- filling them ---- */

/* With milliseconds: two readings in one second differ. */
static void format_now(const struct jl_sim_fleet *fleet, char out[JL_TIME_TEXT])
{
    jl_format_time_us(jl_sim_instant_ms(fleet->now_s) * US_PER_MS, out);
}

static double throttle_pct(double freq_limit)
{
    return jl_round_half_away((1 - freq_limit) * PERCENT);
}

static void fill_cpu(const struct jl_sim_node *node, const struct jl_sim_node_now *now,
                     const struct jl_node_load *load, struct cpu_body *out)
{
    const struct jl_physics_profile *profile = &node->machine->family->profile;
    *out = (struct cpu_body){
        .has = ALL_OF(cpu_rows),
        .average_w = node->cpu.power_w,
        .power_w = node->cpu.power_w,
        .util = node->cpu_util,
        .memory = load->memory,
        .io = load->io,
        .work_class = jl_word_of(&jl_cpu_class_words, (int)load->cpu_class),
        .freq = node->freq,
        .throttle_pct = throttle_pct(now->freq_limit),
        .thermal_pct = now->thermal * PERCENT,
        .temp_c = now->temp_c,
        .cap_w = now->cpu_cap_w,
        .target_w = node->cpu_cap.target,
        .rapl_w = jl_clamp(now->cpu_cap_w, profile->cap_min_w, profile->cap_max_w),
        .is_saturated = node->is_saturated,
    };
}

static double device_speed(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                           const struct jl_sim_node_now *now, const struct jl_sim_devices *devices)
{
    return jl_gpu_throughput(&node->machine->family->profile.gpu, &devices->weights,
                             devices->natural_w, now->gpu_cap_w, 0, fleet->physics);
}

static void fill_gpu(const struct jl_sim_fleet *fleet, size_t index,
                     const struct jl_sim_node_now *now, const struct jl_node_load *load,
                     struct gpu_body *out)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    const struct jl_sim_family *family = node->machine->family;
    struct jl_sim_devices devices;
    *out = (struct gpu_body){ .has = 0 };
    JL_PUT(out, GPU_PRESENT, present, family->gpus > 0);
    if (family->gpus == 0)
        return;
    jl_sim_node_devices(fleet, index, &devices);
    *out = (struct gpu_body){
        .has = ALL_OF(gpu_rows),
        .present = true,
        .vendor = family->gpu_vendor,
        .product = family->gpu_text,
        .count = family->gpus,
        .power_w = node->gpu.power_w,
        .average_w = node->gpu.power_w,
        .cap_w = now->gpu_cap_w,
        .target_w = node->gpu_cap.target,
        .util = node->gpu_util,
        .memory = load->memory,
        .feed = load->feed,
        .work_class = jl_word_of(&jl_gpu_class_words, (int)load->gpu_class),
        .speed = device_speed(fleet, node, now, &devices),
    };
    if (!out->vendor)
        JL_UNMARK(out, GPU_VENDOR);
    if (!out->product)
        JL_UNMARK(out, GPU_PRODUCT);
}

static void fill_hardware(const struct jl_sim_family *family, struct hardware_body *out)
{
    const struct jl_cpu_model *curve = family->profile.curve_model;
    *out = (struct hardware_body){ .has = 0 };
    if (family->cpu_model) {
        JL_PUT(out, HARDWARE_CPU, cpu_model, family->cpu_model->key);
        JL_PUT(out, HARDWARE_CPU_PROVENANCE, cpu_provenance, family->cpu_model->provenance);
    }
    if (curve)
        JL_PUT(out, HARDWARE_CURVE, curve_source, curve->key);
    if (curve && curve != family->cpu_model)
        JL_PUT(out, HARDWARE_PROXY, proxy_from, curve->key);
    if (family->gpu_model)
        JL_PUT(out, HARDWARE_GPU, gpu_provenance, family->gpu_model->provenance);
}

static void fill_pods(const struct jl_sim_fleet *fleet, const struct jl_sim_node *node,
                      struct pods_body *out)
{
    *out = (struct pods_body){ .has = ALL_OF(pods_rows),
                               .running = (int64_t)node->job_count,
                               .classes = { .has = ALL_OF(classes_rows) } };
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
        .has = ALL_OF(telemetry_rows),
        .node = node->machine->name,
        .average_w = node->cpu.power_w + node->gpu.power_w,
        .power_w = node->cpu.power_w + node->gpu.power_w,
        .ts = ts,
    };
    fill_cpu(node, &now, &load, &body.cpu);
    fill_gpu(fleet, index, &now, &load, &body.gpu);
    fill_hardware(node->machine->family, &body.hardware);
    fill_pods(fleet, node, &body.pods);
    jl_encode(out, &telemetry_table, &body);
    return jl_buffer_code(out);
}

static void put_node_state(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now now;
    char updated[JL_TIME_TEXT];
    jl_sim_node_now(fleet, index, &now);
    struct state_body state = {
        .has = ALL_OF(state_rows),
        .cap_w = now.cpu_cap_w,
        .target_w = node->cpu_cap.target,
        .throttle_pct = throttle_pct(now.freq_limit),
        .target_throttle_pct = node->throttle_pct,
        .freq = node->freq,
        .cpu_util = node->cpu_util,
        .updated = updated,
        .pods = (int64_t)node->job_count,
        .gpu_cap_w = now.gpu_cap_w,
        .gpu_target_w = node->gpu_cap.target,
    };
    if (node->request.action) {
        state.action = node->request.action;
        state.result = node->request.result;
        jl_format_time_us(jl_sim_instant_ms(node->request.at_s) * US_PER_MS, updated);
    } else {
        JL_UNMARK(&state, STATE_ACTION);
        JL_UNMARK(&state, STATE_RESULT);
        JL_UNMARK(&state, STATE_UPDATED);
    }
    if (node->machine->family->gpus == 0) {
        JL_UNMARK(&state, STATE_GPU_CAP);
        JL_UNMARK(&state, STATE_GPU_TARGET);
    }
    jl_encode(out, &state_table, &state);
}

/* A device's temperature is not kept: no GPU of the catalog gets hot enough to throttle. */
static void put_devices(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_node *node = &fleet->nodes[index];
    struct jl_sim_node_now now;
    struct jl_sim_devices devices;
    jl_sim_node_now(fleet, index, &now);
    jl_sim_node_devices(fleet, index, &devices);
    for (int64_t i = 0; i < node->machine->family->gpus; i++) {
        const bool is_active = (size_t)i < devices.active;
        const double power_w = is_active ? devices.active_w : devices.idle_w;
        struct device_body body = {
            .has = ALL_OF(device_rows),
            .index = i,
            .cap_w = now.gpu_cap_w,
            .target_w = node->gpu_cap.target,
            .power_w = power_w,
            .average_w = power_w,
            .speed = device_speed(fleet, node, &now, &devices),
        };
        if (!is_active)
            JL_UNMARK(&body, DEVICE_SPEED);
        jl_put_string(out, i > 0 ? "," : "");
        jl_encode(out, &device_table, &body);
    }
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
        put_devices(out, fleet, index);
        jl_put_string(out, "]}");
    }
    jl_put_char(out, '}');
    return jl_buffer_code(out);
}

/* ---- control ---- */

enum { CONTROL_ACTION, CONTROL_CAP, CONTROL_THROTTLE, CONTROL_GPU_CAP };

static const struct jl_row control_rows[] = {
    [CONTROL_ACTION] = JL_STRING(jl_sim_control_body, action, "action"),
    [CONTROL_CAP] = JL_NUMBER(jl_sim_control_body, cap_w, "capWatts"),
    [CONTROL_THROTTLE] = JL_NUMBER(jl_sim_control_body, throttle_pct, "throttlePct"),
    [CONTROL_GPU_CAP] = JL_NUMBER(jl_sim_control_body, gpu_cap_w, "capWattsPerGpu"),
};
static const struct jl_table control_table = JL_TABLE(jl_sim_control_body, control_rows);

int jl_sim_read_control(const char *text, size_t len, struct jl_arena *arena,
                        struct jl_sim_control_body *out, struct joulie_error *err)
{
    struct jl_decode decode = {
        .arena = arena, .text = text, .len = len, .flags = JL_LENIENT, .err = err
    };
    return jl_decode_document(&decode, &control_table, out);
}

struct outcome {
    const char *action; /* a constant */
    const char *result;
    const char *message;
};

/* A cap of 0 or less gives the cap back; the source only calls it applied. */
static void set_cpu_cap(struct jl_sim_fleet *fleet, size_t index,
                        const struct jl_sim_control_body *body, struct outcome *out)
{
    if (!JL_HAS(body, CONTROL_CAP)) {
        out->result = "error";
        out->message = "capWatts is missing";
        return;
    }
    jl_sim_set_cpu_cap(fleet, index, body->cap_w);
    out->message = body->cap_w > 0 ? "cap is set" : "cap is given back";
}

static void set_throttle(struct jl_sim_fleet *fleet, size_t index,
                         const struct jl_sim_control_body *body, struct outcome *out)
{
    if (!JL_HAS(body, CONTROL_THROTTLE)) {
        out->result = "error";
        out->message = "throttlePct is missing";
        return;
    }
    jl_sim_set_throttle(fleet, index, jl_clamp(body->throttle_pct, 0, PERCENT));
    out->message = "throttle is set";
}

static void set_gpu_cap(struct jl_sim_fleet *fleet, size_t index,
                        const struct jl_sim_control_body *body, struct outcome *out)
{
    if (fleet->nodes[index].machine->family->gpus == 0) {
        out->result = "blocked";
        out->message = "gpu not present on node model";
        return;
    }
    if (!JL_HAS(body, CONTROL_GPU_CAP) || body->gpu_cap_w <= 0) {
        out->result = "error";
        out->message = "capWattsPerGpu must be > 0";
        return;
    }
    jl_sim_set_gpu_cap(fleet, index, body->gpu_cap_w);
    out->message = "cap is set on every device";
}

static const struct {
    const char *action;
    void (*apply)(struct jl_sim_fleet *fleet, size_t index, const struct jl_sim_control_body *body,
                  struct outcome *out);
} controls[] = {
    { "rapl.set_power_cap_watts", set_cpu_cap },
    { "dvfs.set_throttle_pct", set_throttle },
    { "gpu.set_power_cap_watts", set_gpu_cap },
};

static void apply(struct jl_sim_fleet *fleet, size_t index, const struct jl_sim_control_body *body,
                  struct outcome *out)
{
    *out = (struct outcome){ "", "error", "unsupported action" };
    for (size_t i = 0; i < JL_COUNT(controls); i++) {
        if (JL_HAS(body, CONTROL_ACTION) && jl_same(body->action, controls[i].action)) {
            *out = (struct outcome){ controls[i].action, "applied", "" };
            controls[i].apply(fleet, index, body, out);
        }
    }
}

int jl_sim_do_control(struct jl_buffer *out, struct jl_sim_fleet *fleet, size_t index,
                      const struct jl_sim_control_body *body)
{
    struct jl_sim_node *node = &fleet->nodes[index];
    struct outcome outcome;
    apply(fleet, index, body, &outcome);
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
