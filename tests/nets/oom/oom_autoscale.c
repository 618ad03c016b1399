/* SPDX-License-Identifier: Apache-2.0 */

/* Every allocation in the life of an autoscaler fails once; the call is made again. */

#include <stdio.h>
#include <string.h>

#include <joulie/autoscale.h>
#include <joulie/version.h>

#include "oom/life.h"

static const char profile[] =
    "apiVersion: tensor-fusion.ai/v1\n"
    "kind: WorkloadProfile\n"
    "metadata: {name: p, namespace: ml}\n"
    "spec:\n"
    "  autoScalingConfig:\n"
    "    autoSetLimits: {enable: true, evaluationPeriod: '1x', prediction: {enable: true}}\n"
    "    autoSetRequests: {enable: true, prediction: {enable: true, model: naive}}\n"
    "    autoSetReplicas: {enable: true}\n"
    "    cronScalingRules:\n"
    "    - {enable: true, name: day, start: 0 0 * * *, end: 0 18 * * *, desiredResources: {\n"
    "       requests: {tflops: 12, vram: 4Gi}, limits: {tflops: 20, vram: 4Gi}}}\n"
    "    externalScaler: {enable: true}\n"
    "  resources: {requests: {tflops: 10, vram: 4Gi}, limits: {tflops: 20, vram: 4Gi}}\n";
static const char pool[] = "{\"autoSetResources\":{\"enable\":true,\"interval\":\"10s\"}}";
static const char reply[] = "{\"needScaleUp\":true,\"reason\":\"more\",\"recommendedResources\":"
                            "{\"requests\":{\"tflops\":\"14\",\"vram\":\"4Gi\"}}}";

static bool begin(struct oom_life *life, struct joulie_autoscaler **scaler)
{
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    while (oom_again(life, joulie_autoscaler_new(NULL, scaler, NULL))) {
    }
    if (life->is_wrong)
        return false;
    while (
        oom_again(life, joulie_autoscaler_put_profile(*scaler, profile, strlen(profile), NULL))) {
    }
    while (oom_again(life, joulie_autoscaler_put_pool(*scaler, pool, strlen(pool), NULL))) {
    }
    for (int i = 0; i < 3; i++) {
        const char *const names[] = { "w-0", "w-1", "w-2" };
        worker.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED;
        worker.name = names[i];
        while (oom_again(life, joulie_autoscaler_put_worker(*scaler, &worker, NULL))) {
        }
    }
    joulie_autoscaler_remove_worker(*scaler, "w-2");
    return true;
}

static void feed(struct oom_life *life, struct joulie_autoscaler *scaler, int64_t now_ms)
{
    const char *const names[] = { "w-0", "w-1", "w-9" };
    const int32_t workers[] = { 0, 1, 2, 0, 1, 2 };
    const int64_t at_ms[] = { now_ms - 20000, now_ms - 20000, now_ms - 20000,
                              now_ms - 10000, now_ms - 10000, now_ms - 10000 };
    const double tflops[] = { 19, 20, 18, 19, 20, 17 };
    const double vram[] = { 1e9, 2e9, 3e9, 1e9, 2e9, 3e9 };
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    samples.workers = names;
    samples.worker_count = 3;
    samples.worker = (struct joulie_column_int){ workers, sizeof *workers };
    samples.at_ms = (struct joulie_column_ms){ at_ms, sizeof *at_ms };
    samples.tflops = (struct joulie_column){ tflops, sizeof *tflops };
    samples.vram_bytes = (struct joulie_column){ vram, sizeof *vram };
    while (oom_again(life, joulie_autoscaler_put_samples(scaler, &samples, 6, NULL))) {
    }
    while (oom_again(life, joulie_autoscaler_put_external(scaler, reply, strlen(reply), NULL))) {
    }
}

static void step(struct oom_life *life, struct joulie_autoscaler *scaler, int64_t now_ms)
{
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_decision decision = JOULIE_INIT(struct joulie_autoscale_decision);
    struct joulie_autoscale_condition condition = JOULIE_INIT(struct joulie_autoscale_condition);
    char line[256];
    while (oom_again(life, joulie_autoscaler_step(scaler, now_ms, NULL, &out, NULL))) {
    }
    for (size_t i = 0; i < out.decision_count; i++) {
        oom_again(life, joulie_autoscaler_get_decision(scaler, i, &decision, NULL));
        snprintf(line, sizeof line, "%s %s %.17g %s", decision.layer, decision.resource,
                 decision.after, decision.reason);
        oom_note(life, line);
    }
    for (size_t i = 0; i < out.condition_count; i++) {
        oom_again(life, joulie_autoscaler_get_condition(scaler, i, &condition, NULL));
        oom_note(life, condition.where);
    }
}

static void live(struct oom_life *life)
{
    struct joulie_autoscaler *scaler = NULL;
    char *state = NULL;
    if (begin(life, &scaler)) {
        for (int64_t now_ms = 100000; now_ms <= 160000 && !life->is_wrong; now_ms += 20000) {
            feed(life, scaler, now_ms);
            step(life, scaler, now_ms);
        }
        while (oom_again(life, joulie_autoscaler_save(scaler, &state, NULL))) {
        }
        if (state != NULL) {
            oom_note(life, state);
            while (oom_again(life, joulie_autoscaler_restore(scaler, state, strlen(state), NULL))) {
            }
        }
        step(life, scaler, 170000);
    }
    joulie_free(state);
    joulie_autoscaler_free(scaler);
}

int main(void)
{
    return oom_lives("autoscale", live);
}
