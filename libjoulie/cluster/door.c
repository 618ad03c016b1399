/* SPDX-License-Identifier: Apache-2.0 */

/* The public door, inwards: settings, objects and readings. */

#include "cluster/door.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "kinds/kinds.h"
#include "kinds/naming.h"
#include "place/profile.h"

#define MS_PER_S 1000
#define LONGEST_S 1e12 /* keeps milliseconds inside an int64_t */

/* ---- texts ---- */

void jl_cluster_door_close(struct door_document *document)
{
    jl_document_clear(&document->source);
    jl_arena_clear(&document->arena);
}

int jl_cluster_door_open(struct door_document *document, const char *text, size_t len,
                         uint32_t flags, struct joulie_error *err)
{
    const int rc = jl_document_read(&document->source, text, len, err);
    document->decode = (struct jl_decode){
        .arena = &document->arena,
        .text = document->source.text,
        .len = document->source.len,
        .lines = document->source.lines,
        .flags = flags,
        .err = err,
    };
    return rc;
}

void *jl_cluster_door_read(struct door_document *document, const struct jl_table *table,
                           int *out_code)
{
    void *object = jl_arena_alloc(&document->arena, table->size);
    if (object == NULL)
        *out_code = jl_fail_memory(document->decode.err);
    else
        *out_code = jl_decode_document(&document->decode, table, object);
    return *out_code == 0 ? object : NULL;
}

int jl_cluster_door_return(int code, const struct joulie_error *full, struct joulie_error *err)
{
    if (code < 0)
        jl_error_export(full, err);
    return code;
}

void jl_cluster_door_put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

int jl_cluster_door_fail_abi(struct joulie_error *err)
{
    return jl_fail(err, JOULIE_E_ABI, "",
                   "struct_size is impossible, or a field of a newer release is set");
}

int jl_cluster_door_check_text(const char *text, const char *where, struct joulie_error *err)
{
    const size_t len = text != NULL ? strlen(text) : 0;
    if (len > JL_NAME_MAX)
        return jl_fail(err, JOULIE_E_RANGE, where, "longer than %d bytes", JL_NAME_MAX);
    if (text != NULL && !jl_utf8_valid(text, len))
        return jl_fail(err, JOULIE_E_PARSE, where, "the text is not UTF-8");
    return 0;
}

/* ---- settings ---- */

static const struct jl_row rack_rows[] = {
    [JL_RACK_SETTING_CAPACITY] =
        JL_NUMBER(jl_rack_setting, capacity_w, "capacityW", .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN,
                  .min = 0, .doc = "What the supply of this rack can give, W."),
};
static const struct jl_table rack_table = JL_TABLE(jl_rack_setting, rack_rows);

static const struct jl_row zone_rows[] = {
    [JL_ZONE_SETTING_OUTSIDE_TEMP] =
        JL_NUMBER(jl_zone_setting, outside_temp_c, "outsideTempC",
                  .doc = "Temperature while none is read in this zone, °C."),
};
static const struct jl_table zone_table = JL_TABLE(jl_zone_setting, zone_rows);

struct settings {
    uint64_t has;
    struct jl_policy_config policy;
    double rack_capacity_w;
    double cluster_capacity_w;
    struct jl_dict racks;
    struct jl_dict zones;
    double staleness_s;
    double max_age_s;
    double heartbeat_s;
    double deadband_score;
    double deadband_pct;
    const char *power_profile_label;
    double stale_grace_s;
    enum joulie_fail_policy fail_policy;
    enum joulie_place_rules scoring_profile;
    double cpu_util_coeff;
    double gpu_util_coeff_standard;
    double gpu_util_coeff_performance;
    bool is_marginal_scoring;
    bool has_ledger;
    struct jl_scoring_profile scoring;
};

enum {
    SETTINGS_POLICY,
    SETTINGS_RACK_CAPACITY,
    SETTINGS_CLUSTER_CAPACITY,
    SETTINGS_RACKS,
    SETTINGS_ZONES,
    SETTINGS_STALENESS,
    SETTINGS_MAX_AGE,
    SETTINGS_HEARTBEAT,
    SETTINGS_DEADBAND_SCORE,
    SETTINGS_DEADBAND_PCT,
    SETTINGS_LABEL,
    SETTINGS_STALE_GRACE,
    SETTINGS_FAIL_POLICY,
    SETTINGS_SCORING_PROFILE,
    SETTINGS_CPU_COEFF,
    SETTINGS_GPU_COEFF_STANDARD,
    SETTINGS_GPU_COEFF_PERFORMANCE,
    SETTINGS_MARGINAL_SCORING,
    SETTINGS_LEDGER,
    SETTINGS_SCORING,
};

#define POSITIVE .flags = JL_HAS_MIN | JL_EXCLUSIVE_MIN, .min = 0
#define DURATION .flags = JL_HAS_MIN | JL_HAS_MAX, .min = 0, .max = LONGEST_S

static const struct jl_row settings_rows[] = {
    [SETTINGS_POLICY] = JL_OBJECT(settings, policy, "policy", &jl_policy_table,
                                  .doc = "Settings of the power policy."),
    [SETTINGS_RACK_CAPACITY] = JL_NUMBER(settings, rack_capacity_w, "rackCapacityW", POSITIVE,
                                         .doc = "What the supply of a rack can give, W."),
    [SETTINGS_CLUSTER_CAPACITY] =
        JL_NUMBER(settings, cluster_capacity_w, "clusterCapacityW", POSITIVE,
                  .doc = "What the supply of the cluster can give, W."),
    [SETTINGS_RACKS] = JL_DICT(settings, racks, "racks", &rack_table,
                               .doc = "Racks that differ from rackCapacityW, by their label."),
    [SETTINGS_ZONES] =
        JL_DICT(settings, zones, "zones", &zone_table, .doc = "Cooling zones, by their label."),
    [SETTINGS_STALENESS] = JL_NUMBER(settings, staleness_s, "twinStalenessS", DURATION,
                                     .doc = "Age of a fresh twin or heartbeat, s."),
    [SETTINGS_MAX_AGE] = JL_NUMBER(settings, max_age_s, "twinMaxAgeS", DURATION,
                                   .doc = "Age of a fresh twin while the operator beats, s."),
    [SETTINGS_HEARTBEAT] =
        JL_NUMBER(settings, heartbeat_s, "twinHeartbeatS", DURATION,
                  .doc = "After this long a twin is written although nothing changed, s."),
    [SETTINGS_DEADBAND_SCORE] =
        JL_NUMBER(settings, deadband_score, "statusDeadbandScore", .flags = JL_NOT_NEGATIVE,
                  .doc = "Smallest move of a score that is written, points."),
    [SETTINGS_DEADBAND_PCT] =
        JL_NUMBER(settings, deadband_pct, "statusDeadbandPct", .flags = JL_NOT_NEGATIVE,
                  .doc = "Smallest move of a power that is written, percent of the node's TDP."),
    [SETTINGS_LABEL] = JL_STRING(settings, power_profile_label, "powerProfileLabel",
                                 .doc = "Node label that carries the profile."),
    [SETTINGS_STALE_GRACE] =
        JL_NUMBER(settings, stale_grace_s, "filterStaleGraceS", DURATION,
                  .doc = "Age up to which a stale eco or draining twin still rejects, s."),
    [SETTINGS_FAIL_POLICY] =
        JL_ENUM(settings, fail_policy, "failPolicy", &jl_fail_policy_words,
                .doc = "What happens to performance pods where nothing is known of a node."),
    [SETTINGS_SCORING_PROFILE] = JL_ENUM(settings, scoring_profile, "scoringProfile",
                                         &jl_place_rules_words, .doc = "The scoring formula."),
    [SETTINGS_CPU_COEFF] =
        JL_NUMBER(settings, cpu_util_coeff, "marginalCpuUtilCoeff", .flags = JL_NOT_NEGATIVE,
                  .doc = "Part of a CPU's power that a busy pod adds."),
    [SETTINGS_GPU_COEFF_STANDARD] =
        JL_NUMBER(settings, gpu_util_coeff_standard, "marginalGpuUtilCoeffStandard",
                  .flags = JL_NOT_NEGATIVE, .doc = "The same of a GPU, for standard pods."),
    [SETTINGS_GPU_COEFF_PERFORMANCE] =
        JL_NUMBER(settings, gpu_util_coeff_performance, "marginalGpuUtilCoeffPerformance",
                  .flags = JL_NOT_NEGATIVE, .doc = "The same of a GPU, for performance pods."),
    [SETTINGS_MARGINAL_SCORING] =
        JL_BOOLEAN(settings, is_marginal_scoring, "enableMarginalPowerScoring",
                   .doc = "Whether the legacy formula looks at what the pod adds."),
    [SETTINGS_LEDGER] = JL_BOOLEAN(settings, has_ledger, "ledger",
                                   .doc = "Whether pods that are not in the readings yet count."),
    [SETTINGS_SCORING] = JL_OBJECT(settings, scoring, "scoring", &jl_scoring_profile_table,
                                   .doc = "The scoring formula in detail; wins over the members "
                                          "above."),
};
static const struct jl_table settings_table = JL_TABLE(settings, settings_rows);

static int64_t ms_or(const struct settings *settings, unsigned bit, double seconds,
                     int64_t otherwise)
{
    return JL_HAS(settings, bit) ? (int64_t)(seconds * MS_PER_S) : otherwise;
}

static double number_or(const struct settings *settings, unsigned bit, double value,
                        double otherwise)
{
    return JL_HAS(settings, bit) ? value : otherwise;
}

static void fill_place(const struct settings *settings, struct jl_place_config *out)
{
    if (JL_HAS(settings, SETTINGS_SCORING_PROFILE))
        jl_place_config_init(out, settings->scoring_profile);
    if (JL_HAS(settings, SETTINGS_FAIL_POLICY))
        out->fail_policy = settings->fail_policy;
    if (JL_HAS(settings, SETTINGS_MARGINAL_SCORING))
        out->is_marginal_scoring = settings->is_marginal_scoring;
    out->stale_grace_ms =
        ms_or(settings, SETTINGS_STALE_GRACE, settings->stale_grace_s, out->stale_grace_ms);
    out->cpu_util_coeff =
        number_or(settings, SETTINGS_CPU_COEFF, settings->cpu_util_coeff, out->cpu_util_coeff);
    out->gpu_util_coeff_standard =
        number_or(settings, SETTINGS_GPU_COEFF_STANDARD, settings->gpu_util_coeff_standard,
                  out->gpu_util_coeff_standard);
    out->gpu_util_coeff_performance =
        number_or(settings, SETTINGS_GPU_COEFF_PERFORMANCE, settings->gpu_util_coeff_performance,
                  out->gpu_util_coeff_performance);
    if (JL_HAS(settings, SETTINGS_SCORING))
        jl_scoring_profile_apply(&settings->scoring, out);
}

static void fill_config(const struct settings *settings, struct jl_cluster_config *out)
{
    jl_cluster_defaults(out);
    fill_place(settings, &out->place);
    if (JL_HAS(settings, SETTINGS_POLICY))
        out->policy = settings->policy;
    out->policy.power_profile_label = settings->power_profile_label;
    out->rack_capacity_w = number_or(settings, SETTINGS_RACK_CAPACITY, settings->rack_capacity_w,
                                     out->rack_capacity_w);
    out->cluster_capacity_w = number_or(settings, SETTINGS_CLUSTER_CAPACITY,
                                        settings->cluster_capacity_w, out->cluster_capacity_w);
    out->racks = settings->racks;
    out->zones = settings->zones;
    out->has_ledger = settings->has_ledger;
    out->deadband_score =
        number_or(settings, SETTINGS_DEADBAND_SCORE, settings->deadband_score, out->deadband_score);
    out->deadband_pct =
        number_or(settings, SETTINGS_DEADBAND_PCT, settings->deadband_pct, out->deadband_pct);
    out->staleness_ms =
        ms_or(settings, SETTINGS_STALENESS, settings->staleness_s, out->staleness_ms);
    out->max_age_ms = ms_or(settings, SETTINGS_MAX_AGE, settings->max_age_s, out->max_age_ms);
    out->twin_heartbeat_ms =
        ms_or(settings, SETTINGS_HEARTBEAT, settings->heartbeat_s, out->twin_heartbeat_ms);
}

static int make(const char *text, size_t len, struct joulie_cluster *cluster,
                struct joulie_error *err)
{
    static const char no_settings[] = "{}";
    JL_CLEANUP(jl_cluster_door_close) struct door_document document = { 0 };
    int rc = jl_cluster_door_open(&document, text != NULL ? text : no_settings,
                                  text != NULL ? len : strlen(no_settings), 0, err);
    const struct settings *settings =
        rc == 0 ? jl_cluster_door_read(&document, &settings_table, &rc) : NULL;
    if (settings == NULL)
        return rc;
    if (!jl_scoring_profile_is_known(&settings->scoring))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "scoring.version", "%s",
                       jl_scoring_profile_unknown);
    struct jl_cluster_config config;
    fill_config(settings, &config);
    return jl_cluster_new(&config, &cluster->model, err);
}

int joulie_cluster_new(const char *settings, size_t len, struct joulie_cluster **out,
                       struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster *cluster = jl_calloc(1, sizeof *cluster);
    if (cluster == NULL)
        return jl_cluster_door_return(jl_fail_memory(&full), &full, err);
    const int rc = make(settings, len, cluster, &full);
    if (rc < 0)
        joulie_cluster_free(cluster);
    else
        *out = cluster;
    return jl_cluster_door_return(rc, &full, err);
}

void joulie_cluster_free(struct joulie_cluster *cluster)
{
    if (cluster == NULL)
        return;
    jl_cluster_free(cluster->model);
    jl_arena_clear(&cluster->bodies);
    jl_free(cluster);
}

/* ---- objects ---- */

static int put_object(struct jl_cluster *model, const struct jl_table *table, const void *object,
                      struct joulie_error *err)
{
    if (table == &jl_node_table)
        return jl_cluster_put_node(model, object, err);
    if (table == &jl_node_hardware_table)
        return jl_cluster_put_hardware(model, object, err);
    if (table == &jl_node_twin_table)
        return jl_cluster_put_twin(model, object, err);
    if (table == &jl_pod_table)
        return jl_cluster_put_pod(model, object, err);
    return jl_cluster_put_profile(model, object, err);
}

static bool is_modelled(const struct jl_table *table)
{
    return table == &jl_node_table || table == &jl_node_hardware_table ||
           table == &jl_node_twin_table || table == &jl_pod_table ||
           table == &jl_workload_profile_table;
}

/* The two members that say what a document is. */
struct header {
    uint64_t has;
    const char *api_version;
    const char *kind;
};

enum { HEADER_API_VERSION, HEADER_KIND };

static const struct jl_row header_rows[] = {
    [HEADER_API_VERSION] = JL_STRING(header, api_version, "apiVersion", .flags = JL_REQUIRED),
    [HEADER_KIND] = JL_STRING(header, kind, "kind", .flags = JL_REQUIRED),
};
static const struct jl_table header_table = JL_TABLE(header, header_rows, .flags = JL_OPEN);

static int upsert(struct jl_cluster *model, const char *text, size_t len, struct joulie_error *err)
{
    JL_CLEANUP(jl_cluster_door_close) struct door_document document = { 0 };
    int rc = jl_cluster_door_open(&document, text, len, JL_LENIENT, err);
    const struct header *header =
        rc == 0 ? jl_cluster_door_read(&document, &header_table, &rc) : NULL;
    if (header == NULL)
        return rc;
    const struct jl_table *table = jl_kind_find(header->api_version, header->kind);
    if (table == NULL || !is_modelled(table))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "the model takes no %.64s", header->kind);
    const void *object = jl_cluster_door_read(&document, table, &rc);
    return object != NULL ? put_object(model, table, object, err) : rc;
}

int joulie_cluster_upsert(struct joulie_cluster *cluster, const char *text, size_t len,
                          struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(upsert(cluster->model, text, len, &full), &full, err);
}

int joulie_cluster_remove(struct joulie_cluster *cluster, const char *kind, const char *name_space,
                          const char *name, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(jl_cluster_remove(cluster->model, kind, name_space, name, &full),
                                  &full, err);
}

/* ---- readings ---- */

#define SAMPLE_SIZE_0_1 sizeof(struct joulie_cluster_sample)
#define SAMPLE_BITS \
    (JOULIE_SAMPLE_HAS_NODE_POWER | JOULIE_SAMPLE_HAS_CPU_UTIL | JOULIE_SAMPLE_HAS_GPU_UTIL)
#define FACILITY_SIZE_0_1 sizeof(struct joulie_cluster_facility)
#define FACILITY_BITS                                                  \
    (JOULIE_FACILITY_HAS_OUTSIDE_TEMP | JOULIE_FACILITY_HAS_IT_POWER | \
     JOULIE_FACILITY_HAS_COOLING_POWER)

static int sample(struct joulie_cluster *cluster, const char *node_name,
                  const struct joulie_cluster_sample *theirs, struct joulie_error *err)
{
    struct joulie_cluster_sample ours;
    if (jl_sized_check(theirs, SAMPLE_SIZE_0_1) < 0 ||
        jl_sized_read(&ours, sizeof ours, theirs) < 0 || (ours.has & ~SAMPLE_BITS) != 0)
        return jl_cluster_door_fail_abi(err);
    struct jl_cluster_sample reading = { .at_ms = ours.at_ms };
    if (ours.has & JOULIE_SAMPLE_HAS_NODE_POWER)
        JL_PUT(&reading, JL_SAMPLE_POWER, node_power_w, ours.node_power_w);
    if (ours.has & JOULIE_SAMPLE_HAS_CPU_UTIL)
        JL_PUT(&reading, JL_SAMPLE_CPU_UTIL, cpu_util_pct, ours.cpu_util_pct);
    if (ours.has & JOULIE_SAMPLE_HAS_GPU_UTIL)
        JL_PUT(&reading, JL_SAMPLE_GPU_UTIL, gpu_util_pct, ours.gpu_util_pct);
    if (ours.source != NULL) {
        const int source = jl_word_value(&jl_power_source_words, jl_text(ours.source));
        if (source == JOULIE_POWER_SOURCE_UNKNOWN)
            return jl_fail(err, JOULIE_E_ENUM, "source", "no source of power is called %.64s",
                           ours.source);
        JL_PUT(&reading, JL_SAMPLE_SOURCE, source, (enum joulie_power_source)source);
    }
    return jl_cluster_sample(cluster->model, node_name, &reading, err);
}

int joulie_cluster_put_sample(struct joulie_cluster *cluster, const char *node_name,
                              const struct joulie_cluster_sample *theirs, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(sample(cluster, node_name, theirs, &full), &full, err);
}

static int read_facility(const struct joulie_cluster_facility *theirs,
                         struct jl_cluster_facility *out, struct joulie_error *err)
{
    struct joulie_cluster_facility ours;
    if (jl_sized_check(theirs, FACILITY_SIZE_0_1) < 0 ||
        jl_sized_read(&ours, sizeof ours, theirs) < 0 || (ours.has & ~FACILITY_BITS) != 0)
        return jl_cluster_door_fail_abi(err);
    if (ours.has & JOULIE_FACILITY_HAS_OUTSIDE_TEMP)
        JL_PUT(out, JL_FACILITY_OUTSIDE_TEMP, outside_temp_c, ours.outside_temp_c);
    if (ours.has & JOULIE_FACILITY_HAS_IT_POWER)
        JL_PUT(out, JL_FACILITY_IT_POWER, it_power_w, ours.it_power_w);
    if (ours.has & JOULIE_FACILITY_HAS_COOLING_POWER)
        JL_PUT(out, JL_FACILITY_COOLING_POWER, cooling_power_w, ours.cooling_power_w);
    return 0;
}

int joulie_cluster_put_facility(struct joulie_cluster *cluster,
                                const struct joulie_cluster_facility *theirs,
                                struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct jl_cluster_facility values = { 0 };
    int rc = read_facility(theirs, &values, &full);
    if (rc == 0)
        rc = jl_cluster_facility(cluster->model, &values, &full);
    return jl_cluster_door_return(rc, &full, err);
}

int joulie_cluster_put_zone(struct joulie_cluster *cluster, const char *zone_name,
                            const struct joulie_cluster_facility *theirs, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct jl_cluster_facility values = { 0 };
    int rc = jl_cluster_door_check_text(zone_name, "zone_name", &full);
    if (rc == 0)
        rc = read_facility(theirs, &values, &full);
    if (rc == 0)
        rc = jl_cluster_zone(cluster->model, zone_name, &values, &full);
    return jl_cluster_door_return(rc, &full, err);
}

void joulie_cluster_heartbeat(struct joulie_cluster *cluster, int64_t at_ms)
{
    jl_cluster_heartbeat(cluster->model, at_ms);
}
