/* SPDX-License-Identifier: Apache-2.0 */

/* glob, cpulist, image.match, qos.size: the small rules of thread profiles
 * (docs/rules/threads.md). */

#include <joulie/error.h>

#include "ask/ask.h"
#include "base/cpu_set.h"
#include "base/error.h"
#include "base/glob.h"
#include "threads/image.h"
#include "threads/sizing.h"

/* ---- glob ---- */

#define RECORD glob_in
#define MEMBERS                                                     \
    STRING(pattern, "pattern", "Pattern with * ? [a-z].", REQUIRED) \
    STRING(text, "text", "What it is held against.", REQUIRED)
#include "schema/record.h"

#define RECORD glob_out
#define MEMBERS BOOLEAN(match, "match", "Whether the pattern describes all of the text.")
#include "schema/record.h"

static int answer_glob(struct jl_ask *ask, const struct glob_in *in, struct glob_out *out)
{
    const struct jl_text pattern = jl_text(in->pattern);
    if (jl_glob_check(pattern) < 0)
        return jl_ask_fail(ask, JOULIE_E_PARSE, "pattern",
                           "a bracket is not closed, or a backslash is the last byte");
    JL_SET(out, match, jl_glob_match(pattern, jl_text(in->text)));
    return 0;
}

JL_QUESTION(glob, "glob", "whether a pattern with * ? [a-z] describes a text");

/* ---- cpulist ---- */

#define RECORD cpulist_in
#define MEMBERS                                                                 \
    STRING(text, "text", "List as the kernel writes it, such as 0-3,8.")        \
    NUMBERS(cpus, "cpus", "Or the numbers themselves.", NOT_NEGATIVE, AS_INT32, \
            AT_MOST(JL_LIMIT_CPUS - 1))
#include "schema/record.h"

#define RECORD cpulist_out
#define MEMBERS                                  \
    NUMBERS(cpus, "cpus", "Numbers, ascending.") \
    STRING(text, "text", "The list, ranges from two CPUs on.")
#include "schema/record.h"

static int answer_cpulist(struct jl_ask *ask, const struct cpulist_in *in, struct cpulist_out *out)
{
    struct jl_cpu_set set = { 0 };
    if (in->given.text == in->given.cpus)
        return jl_ask_fail(ask, JOULIE_E_REQUIRED, "text", "give text or cpus");
    for (size_t i = 0; i < in->cpus.count; i++)
        jl_cpu_set_add(&set, (size_t)JL_NUMBER_ITEM(in->cpus, i));
    const int rc = in->given.text ? jl_cpu_list_parse(jl_text(in->text), &set) : 0;
    if (rc < 0)
        return jl_ask_fail(ask, rc, "text",
                           rc == JOULIE_E_PARSE ? "not a list such as 0-3,8"
                                                : "a range or a CPU that cannot be");
    const char *text = jl_cpu_list_print(ask->arena, &set);
    double *cpus = JL_NEW_LIST(ask, out, cpus, jl_cpu_set_count(&set), double);
    if (text == NULL || cpus == NULL)
        return jl_fail_memory(ask->err);
    JL_EACH_CPU(cpu, &set)
    *cpus++ = (double)cpu;
    JL_SET(out, text, text);
    return 0;
}

JL_QUESTION(cpulist, "cpulist", "a list of CPUs in numbers and in the kernel's notation");

/* ---- image.match ---- */

#define RECORD image_match_in
#define MEMBERS                                                \
    STRING(image, "image", "Reference of an image.", REQUIRED) \
    STRING(pattern, "pattern", "Pattern of images.")
#include "schema/record.h"

#define RECORD image_match_out
#define MEMBERS                                                          \
    BOOLEAN(valid, "valid", "Whether an image can have this reference.") \
    STRING(domain, "domain", "Its registry.")                            \
    STRING(path, "path", "Its path there.")                              \
    STRING(tag, "tag", "Its tag; absent with a digest alone.")           \
    STRING(digest, "digest", "Its digest; absent = none.")               \
    BOOLEAN(match, "match", "Whether the pattern describes it.")         \
    NUMBERS(specificity, "specificity",                                  \
            "How much the pattern says: digest, tag, registry, bytes, -wildcards.")
#include "schema/record.h"

static int put_pattern(struct jl_ask *ask, const char *text, const struct jl_image *image,
                       struct image_match_out *out)
{
    struct jl_image_pattern pattern;
    if (jl_image_pattern_parse(jl_text(text), &pattern) < 0)
        return jl_ask_fail(ask, JOULIE_E_PARSE, "pattern", "not a pattern of images");
    double *terms = JL_NEW_LIST(ask, out, specificity, JL_SPECIFICITY_TERMS, double);
    if (terms == NULL)
        return jl_fail_memory(ask->err);
    const struct jl_specificity specificity = jl_image_specificity(&pattern);
    for (size_t i = 0; i < JL_SPECIFICITY_TERMS; i++)
        terms[i] = (double)specificity.terms[i];
    JL_SET(out, match, out->valid && jl_image_matches(&pattern, image));
    return 0;
}

static int answer_image_match(struct jl_ask *ask, const struct image_match_in *in,
                              struct image_match_out *out)
{
    struct jl_image image = { 0 };
    const int rc = jl_image_parse(ask->arena, in->image, &image);
    if (rc < 0 && rc != JOULIE_E_PARSE)
        return jl_fail_memory(ask->err);
    JL_SET(out, valid, rc == 0);
    JL_SET_IF(out, domain, image.domain != NULL, image.domain);
    JL_SET_IF(out, path, image.path != NULL, image.path);
    JL_SET_IF(out, tag, image.tag != NULL, image.tag);
    JL_SET_IF(out, digest, image.digest != NULL, image.digest);
    return in->given.pattern ? put_pattern(ask, in->pattern, &image, out) : 0;
}

JL_QUESTION(image_match, "image.match",
            "parts of an image reference, and whether a pattern has it");

/* ---- qos.size ---- */

#define CPUS_MAX 1000000 /* keeps every product inside 64 bits */
#define MILLICPU_MAX 1e12

#define RECORD tier_need
#define MEMBERS                                                                        \
    INTEGER(request_m, "requestM", "CPU requests of its pods, thousandths.", REQUIRED, \
            BETWEEN(0, MILLICPU_MAX))                                                  \
    INTEGER(limit_m, "limitM", "Their limits; absent = one of them has none.",         \
            BETWEEN(0, MILLICPU_MAX))
#include "schema/record.h"

#define RECORD qos_size_in
#define MEMBERS                                                                                    \
    INTEGER(logical_cpus, "logicalCpus", "CPUs of the node.", REQUIRED, BETWEEN(1, CPUS_MAX))      \
    INTEGER(threads_per_core, "threadsPerCore", "Most threads of a core.", REQUIRED,               \
            BETWEEN(1, CPUS_MAX))                                                                  \
    INTEGER(physical_cores, "physicalCores", "Cores of the node.", REQUIRED, BETWEEN(1, CPUS_MAX)) \
    DICT(tiers, "tiers", tier_need, "What the pods of each tier ask for.", REQUIRED)
#include "schema/record.h"

#define RECORD tier_size
#define MEMBERS                                                                    \
    ENUM(kind, "kind", jl_layer_kind, jl_layer_kind_words, "How it has its CPUs.") \
    BOOLEAN(is_protected, "protected", "Whether others stay off them.")            \
    BOOLEAN(preempt, "preempt", "Whether its threads evict those of lower tiers.") \
    NUMBERS(range, "cpusRange", "Fewest and most CPUs.")
#include "schema/record.h"

#define RECORD qos_size_out
#define MEMBERS                                                            \
    INTEGER(reserve_cores, "reserveCores", "Cores that are never fenced.") \
    INTEGER(fenceable_cores, "fenceableCores", "Cores that may be.")       \
    DICT(tiers, "tiers", tier_size, "CPUs of each tier that has pods.")    \
    STRINGS(events, "events", "whole_cores, high_overflow: what did not fit.")
#include "schema/record.h"

static int read_needs(struct jl_ask *ask, const struct jl_dict *tiers,
                      struct jl_tier_need needs[JL_TIER_COUNT])
{
    for (size_t i = 0; i < tiers->count; i++) {
        const struct tier_need *given = &((const struct tier_need *)tiers->items)[i];
        const int tier = jl_word_value(&jl_tier_words, jl_text(tiers->keys[i]));
        if (tier == JL_TIER_UNKNOWN)
            return jl_ask_fail(ask, JOULIE_E_ENUM, jl_ask_path(ask, "tiers.%s", tiers->keys[i]),
                               "there is no such tier");
        needs[tier] =
            (struct jl_tier_need){ true, given->request_m, given->given.limit_m, given->limit_m };
    }
    return 0;
}

static int put_tiers(struct jl_ask *ask, const struct jl_tier_sizes *sizes,
                     struct qos_size_out *out)
{
    const char **keys = JL_NEW_ARRAY(ask->arena, JL_TIER_COUNT, const char *);
    struct tier_size *items = JL_NEW_ARRAY(ask->arena, JL_TIER_COUNT, struct tier_size);
    size_t count = 0;
    for (int tier = 0; keys != NULL && items != NULL && tier < JL_TIER_COUNT; tier++) {
        const struct jl_tier_size *size = &sizes->tiers[tier];
        struct tier_size *item = &items[count];
        if (!size->is_present)
            continue;
        JL_SET(item, kind, size->kind);
        JL_SET(item, is_protected, size->is_protected);
        JL_SET(item, preempt, size->preempts);
        if (size->has_range) {
            double *range = JL_NEW_LIST(ask, item, range, 2, double);
            if (range == NULL)
                break;
            range[0] = (double)size->least_cpus;
            range[1] = (double)size->most_cpus;
        }
        keys[count++] = jl_word_of(&jl_tier_words, tier);
    }
    JL_SET(out, tiers, ((struct jl_dict){ keys, items, count }));
    return ask->arena->is_failed ? jl_fail_memory(ask->err) : 0;
}

static int put_events(struct jl_ask *ask, const struct jl_tier_sizes *sizes,
                      struct qos_size_out *out)
{
    const char **events = JL_NEW_ARRAY(ask->arena, 2, const char *);
    size_t count = 0;
    if (events == NULL)
        return jl_fail_memory(ask->err);
    if (sizes->is_critical_demoted)
        events[count++] = "whole_cores";
    if (sizes->is_high_over)
        events[count++] = "high_overflow";
    JL_SET(out, events, ((struct jl_list){ events, count }));
    return 0;
}

static int answer_qos_size(struct jl_ask *ask, const struct qos_size_in *in,
                           struct qos_size_out *out)
{
    const struct jl_node_size node = { in->logical_cpus, in->threads_per_core, in->physical_cores };
    struct jl_tier_need needs[JL_TIER_COUNT] = { 0 };
    struct jl_tier_sizes sizes;
    int rc = read_needs(ask, &in->tiers, needs);
    if (rc < 0)
        return rc;
    jl_size_tiers(&node, needs, &sizes);
    JL_SET(out, reserve_cores, sizes.reserve_cores);
    JL_SET(out, fenceable_cores, sizes.fenceable_cores);
    rc = put_tiers(ask, &sizes, out);
    return rc == 0 ? put_events(ask, &sizes, out) : rc;
}

JL_QUESTION(qos_size, "qos.size", "CPUs of each tier of a node out of what its pods ask for");
