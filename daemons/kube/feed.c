/* SPDX-License-Identifier: Apache-2.0 */

/* Caches of several collections that fill one model of a cluster, or the agent's own: tables of
 * sources say which (docs/rules/clients.md#caches). */

#include "kube/feed.h"

#include "kube/client_parts.h"
#include "runtime/json.h"

#define MS_PER_S 1000.0

const struct jd_family jd_data_age = {
    .name = "joulie_data_age_seconds",
    .help = "Age of the oldest data in use.",
    .type = JD_GAUGE,
    .labels = { "component", "source" },
};

void jd_feed_set_wall(const struct jd_feed *feed)
{
    struct jd_clock *clock = feed->options.clock;
    if (!feed->options.cluster || jd_clock_is_simulated(clock))
        return;
    const int64_t now_ms = jd_policy_now_ms(clock);
    joulie_cluster_set_wall(feed->options.cluster, now_ms, jd_clock_stamp_ms(clock, now_ms));
}

static int upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    const struct jd_feed_part *part = user;
    const struct jd_feed_options *options = &part->feed->options;
    int rc = 0;
    jd_feed_set_wall(part->feed);
    if (options->on_object)
        rc = options->on_object(options->user, part->source, text, len, err);
    return rc == 0 && options->sources[part->source].kind
               ? joulie_cluster_put_object(options->cluster, text, len, err)
               : rc;
}

static void remove_object(void *user, const char *name_space, const char *name)
{
    const struct jd_feed_part *part = user;
    const struct jd_feed_options *options = &part->feed->options;
    const char *kind = options->sources[part->source].kind;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (kind && joulie_cluster_remove(options->cluster, kind, name_space, name, &err) < 0)
        jd_log_error(jd_kube_options(options->kube)->log, "feed",
                     "an object that is gone is still in the model", &err);
    if (options->on_gone)
        options->on_gone(options->user, part->source, name);
}

static void log_filled(const struct jd_feed *feed)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    jl_put_string(&text, "the caches are filled:");
    for (size_t i = 0; i < feed->options.count; i++) {
        const struct jd_reflector *reflector = feed->parts[i].reflector;
        jd_put_format(&text, "%s%zu %s", i > 0 ? ", " : " ",
                      reflector ? jd_reflector_count(reflector) : 0,
                      feed->options.sources[i].resource->plural);
    }
    if (!text.is_failed)
        jd_log_line(jd_kube_options(feed->options.kube)->log, JOULIE_LOG_LEVEL_INFO, "feed",
                    text.data);
}

static void moved(void *user)
{
    struct jd_feed *feed = ((struct jd_feed_part *)user)->feed;
    if (!feed->has_synced && !jd_feed_problem(feed)) {
        feed->has_synced = true;
        log_filled(feed);
    }
    jd_clock_check(feed->options.clock);
    if (feed->options.on_moved)
        feed->options.on_moved(feed->options.user);
}

int jd_feed_open(struct jd_feed *feed, const struct jd_feed_options *options,
                 struct joulie_error *err)
{
    int rc = 0;
    feed->options = *options;
    for (size_t i = 0; i < options->count && rc == 0; i++) {
        const struct jd_feed_source *source = &options->sources[i];
        struct jd_feed_part *part = &feed->parts[i];
        *part = (struct jd_feed_part){ .feed = feed, .source = i };
        const struct jd_reflector_options reflector = {
            .resource = source->resource,
            .name_space = source->is_namespaced ? options->name_space : NULL,
            .field_selector = source->field_selector,
            .label_selector = source->label_selector,
            .is_optional = source->is_optional,
            .upsert = upsert,
            .remove = remove_object,
            .moved = moved,
            .user = part,
        };
        rc = jd_reflector_open(options->kube, &reflector, &part->reflector, err);
    }
    return rc;
}

void jd_feed_close(struct jd_feed *feed)
{
    for (size_t i = 0; i < feed->options.count; i++)
        jd_reflector_close(feed->parts[i].reflector);
    *feed = (struct jd_feed){ 0 };
}

const char *jd_feed_problem(const struct jd_feed *feed)
{
    if (feed->has_synced)
        return NULL;
    for (size_t i = 0; i < feed->options.count; i++) {
        const struct jd_reflector *reflector = feed->parts[i].reflector;
        const char *missing = feed->options.sources[i].missing;
        if (missing && (!reflector || !jd_reflector_has_synced(reflector)))
            return missing;
    }
    return feed->options.count > 0 ? NULL : "nothing was listed yet";
}

bool jd_feed_has_reached(const struct jd_feed *feed, const char *version)
{
    for (size_t i = 0; i < feed->options.count; i++) {
        const struct jd_reflector *reflector = feed->parts[i].reflector;
        if (!reflector || !jd_reflector_has_reached(reflector, version))
            return false;
    }
    return feed->options.count > 0;
}

bool jd_feed_has_seen(const struct jd_feed *feed, size_t source, const char *version)
{
    return version[0] == '\0' || jd_reflector_has_reached(feed->parts[source].reflector, version);
}

static double age_s(const struct jd_reflector *reflector)
{
    return (double)(jd_clock_ms() - jd_reflector_heard_ms(reflector)) / MS_PER_S;
}

double jd_feed_age_s(const struct jd_feed *feed)
{
    double oldest_s = 0;
    for (size_t i = 0; i < feed->options.count; i++) {
        const struct jd_reflector *reflector = feed->parts[i].reflector;
        if (feed->options.sources[i].missing && reflector && age_s(reflector) > oldest_s)
            oldest_s = age_s(reflector);
    }
    return oldest_s;
}

void jd_feed_measure(const struct jd_feed *feed)
{
    for (size_t i = 0; i < feed->options.count; i++) {
        const struct jd_reflector *reflector = feed->parts[i].reflector;
        if (reflector && jd_reflector_heard_ms(reflector) > 0)
            jd_metric_set(
                jd_kube_options(feed->options.kube)->metrics, &jd_data_age,
                JD_LABELS(feed->options.component, feed->options.sources[i].resource->plural),
                age_s(reflector));
    }
}
