/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/autoscale.h>: a worker that reaches its limit may burst further. */

#include <stdio.h>
#include <string.h>

#include <joulie/autoscale.h>

static const char profile[] =
    "apiVersion: tensor-fusion.ai/v1\n"
    "kind: WorkloadProfile\n"
    "metadata: {name: p, namespace: ml}\n"
    "spec:\n"
    "  autoScalingConfig: {autoSetLimits: {enable: true, targetResource: tflops}}\n"
    "  resources:\n"
    "    requests: {tflops: 10, vram: 4Gi}\n"
    "    limits: {tflops: 20, vram: 4Gi}\n";

static int feed(struct joulie_autoscaler *scaler, struct joulie_error *err)
{
    static const char *const names[] = { "w-0" };
    static const int64_t at_ms[] = { 100000, 110000, 120000 };
    static const double tflops[] = { 19.2, 19.6, 20 };
    struct joulie_autoscale_worker worker = JOULIE_INIT(struct joulie_autoscale_worker);
    struct joulie_autoscale_samples samples = JOULIE_INIT(struct joulie_autoscale_samples);
    worker.has = JOULIE_AUTOSCALE_WORKER_HAS_CREATED;
    worker.name = names[0];
    samples.workers = names;
    samples.worker_count = 1;
    samples.at_ms = (struct joulie_column_ms){ at_ms, sizeof *at_ms };
    samples.tflops = (struct joulie_column){ tflops, sizeof *tflops };
    int rc = joulie_autoscaler_put_profile(scaler, profile, strlen(profile), err);
    if (rc == JOULIE_OK)
        rc = joulie_autoscaler_put_worker(scaler, &worker, err);
    return rc == JOULIE_OK ? joulie_autoscaler_put_samples(scaler, &samples, 3, err) : rc;
}

int main(void)
{
    struct joulie_autoscale_output out = JOULIE_INIT(struct joulie_autoscale_output);
    struct joulie_autoscale_decision decision = JOULIE_INIT(struct joulie_autoscale_decision);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_autoscaler *scaler = NULL;
    int rc = joulie_autoscaler_new(NULL, &scaler, &err);
    if (rc == JOULIE_OK)
        rc = feed(scaler, &err);
    if (rc == JOULIE_OK)
        rc = joulie_autoscaler_step(scaler, 120000, NULL, &out, &err);
    for (size_t i = 0; rc == JOULIE_OK && i < out.decision_count; i++) {
        rc = joulie_autoscaler_get_decision(scaler, i, &decision, &err);
        printf("%s %s: %g to %g, %s\n", decision.layer, decision.resource, decision.before,
               decision.after, decision.reason);
    }
    if (rc != JOULIE_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    joulie_autoscaler_free(scaler);
    return rc != JOULIE_OK;
}
