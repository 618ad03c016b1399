/* SPDX-License-Identifier: Apache-2.0 */

/* threads.list, threads.match, threads.show: profiles and whose they are
 * (docs/rules/threads.md#which-profile). */

#include "ask/threads.h"

#include "base/buffer.h"
#include "base/error.h"
#include "kinds/pod.h"
#include "schema/defaults.h"
#include "schema/encode.h"
#include "schema/tree.h"
#include "threads/findings.h"
#include "threads/profile_toml.h"
#include "threads/select.h"
#include "threads/tier.h"

#define PROFILES_MAX 256 /* of files */

/* ---- the profiles of an input ---- */

int jl_ask_check_profile(struct jl_ask *ask, struct jl_thread_profile *profile,
                         const struct jl_path *at)
{
    struct jl_findings *findings = JL_NEW(ask->arena, struct jl_findings);
    if (findings == NULL)
        return jl_fail_memory(ask->err);
    findings->arena = ask->arena;
    jl_check_profile(profile, at, findings);
    for (size_t i = 0; i < findings->count; i++) {
        const struct jl_finding *finding = &findings->items[i];
        if (jl_finding_is_error(finding->code))
            return jl_ask_fail(ask, jl_finding_error(finding->code), finding->path, "%s",
                               finding->message);
    }
    jl_use_defaults(&jl_thread_profile_table, profile);
    return 0;
}

static int check_profiles(struct jl_ask *ask, const struct jl_list *profiles)
{
    const struct jl_path list_at = { .key = jl_text("profiles") };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < profiles->count; i++) {
        const struct jl_path at = { .up = &list_at, .index = i };
        rc = jl_ask_check_profile(ask, JL_ITEM(*profiles, jl_thread_profile, i), &at);
    }
    return rc;
}

int jl_ask_profile_set(struct jl_ask *ask, const struct jl_list *profiles,
                       const struct jl_list *files, bool no_builtins, struct jl_profile_set *out)
{
    if (profiles->count > PROFILES_MAX)
        return jl_ask_fail(ask, JOULIE_E_LIMIT, "profiles", "%d profiles at most", PROFILES_MAX);
    if (files->count > 0 && files->count != profiles->count)
        return jl_ask_fail(ask, JOULIE_E_RANGE, "profile_files", "give one path for each profile");
    int rc = check_profiles(ask, profiles);
    if (rc < 0)
        return rc;
    rc = jl_profile_set_make(ask->arena, profiles->items, profiles->count,
                             files->count > 0 ? files->items : NULL, !no_builtins, out);
    return rc < 0 ? jl_fail_memory(ask->err) : 0;
}

static const char *source_of(const struct jl_profile_entry *entry)
{
    return entry->is_builtin ? "builtin" : "file";
}

/* ---- threads.list ---- */

#define RECORD threads_list_in
#define MEMBERS JL_PROFILE_MEMBERS
#include "schema/record.h"

#define RECORD listed_profile
#define MEMBERS                                                                         \
    STRING(id, "id", "Name of the profile.")                                            \
    STRING(source, "source", "builtin or file.")                                        \
    STRING(file, "file", "Path of the file.")                                           \
    INTEGER(revision, "revision", "Its revision.")                                      \
    BOOLEAN(enabled, "enabled", "Whether it may be used.")                              \
    ENUM(kind, "kind", jl_program_kind, jl_program_kind_words, "What kind of program.") \
    INTEGER(groups, "groups", "Groups of threads.")                                     \
    OBJECT(shape, "shape", jl_machine_shape, "Machines that it is for.")
#include "schema/record.h"

#define RECORD threads_list_out
#define MEMBERS LIST(profiles, "profiles", listed_profile, "By id, those of files first.")
#include "schema/record.h"

static int answer_threads_list(struct jl_ask *ask, const struct threads_list_in *in,
                               struct threads_list_out *out)
{
    struct jl_profile_set set;
    const int rc =
        jl_ask_profile_set(ask, &in->profiles, &in->profile_files, in->no_builtins, &set);
    if (rc < 0)
        return rc;
    struct listed_profile *items =
        JL_NEW_LIST(ask, out, profiles, set.count, struct listed_profile);
    if (items == NULL)
        return jl_fail_memory(ask->err);
    for (size_t i = 0; i < set.count; i++) {
        const struct jl_thread_profile *profile = set.items[i].profile;
        JL_SET(&items[i], id, profile->id);
        JL_SET(&items[i], source, source_of(&set.items[i]));
        JL_SET_IF(&items[i], file, !jl_is_empty(set.items[i].file), set.items[i].file);
        JL_SET(&items[i], revision, profile->revision);
        JL_SET(&items[i], enabled, profile->enabled);
        JL_SET(&items[i], kind, profile->traits.kind);
        JL_SET(&items[i], groups, (int64_t)profile->groups.count);
        JL_SET(&items[i], shape, profile->machine_shape);
    }
    return 0;
}

JL_QUESTION(threads_list, "threads.list", "the thread profiles that there are");

/* ---- threads.show ---- */

#define RECORD threads_show_in
#define MEMBERS                                        \
    STRING(id, "id", "Name of the profile.", REQUIRED) \
    JL_PROFILE_MEMBERS
#include "schema/record.h"

#define RECORD shown_text
#define MEMBERS STRING(toml, "toml", "The profile as canonical TOML.")
#include "schema/record.h"

static int put_whole(struct jl_ask *ask, struct jl_buffer *text)
{
    const char *copy = text->is_failed ? NULL : jl_arena_copy(ask->arena, text->data, text->len);
    ask->whole = (struct jl_raw){ .text = copy, .len = text->len };
    return copy != NULL ? 0 : jl_fail_memory(ask->err);
}

static int show_toml(struct jl_ask *ask, const struct jl_thread_profile *profile)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer toml = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer answer = { 0 };
    struct shown_text shown = { 0 };
    jl_profile_put_toml(&toml, profile);
    if (toml.is_failed)
        return jl_fail_memory(ask->err);
    JL_SET(&shown, toml, toml.data);
    jl_encode(&answer, &shown_text_table, &shown);
    return put_whole(ask, &answer);
}

static int answer_threads_show(struct jl_ask *ask, const struct threads_show_in *in,
                               struct jl_thread_profile *out)
{
    struct jl_profile_set set;
    bool is_known;
    const int rc =
        jl_ask_profile_set(ask, &in->profiles, &in->profile_files, in->no_builtins, &set);
    if (rc < 0)
        return rc;
    if (ask->options.output != NULL && !jl_same(ask->options.output, "toml"))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "options.output",
                           "profiles are shown as toml, or as they are");
    const struct jl_profile_entry *entry = jl_find_profile(&set, in->id, NULL, &is_known);
    if (entry == NULL)
        return jl_ask_fail(ask, JOULIE_E_ENUM, "ID", "there is no profile \"%.64s\"", in->id);
    if (ask->options.output != NULL)
        return show_toml(ask, entry->profile);
    *out = *entry->profile;
    return 0;
}

JL_QUESTION_OF(threads_show, threads_show_in, jl_thread_profile, "threads.show",
               "a thread profile; as TOML with options.output");

/* ---- threads.match ---- */

#define RECORD threads_match_in
#define MEMBERS                                                                     \
    OBJECT(pod, "pod", jl_pod, "The pod.", REQUIRED)                                \
    OBJECT(machine, "machine", jl_thread_machine, "Machine that it runs on.")       \
    RAW(exes, "exes", "File names of the programs of each container.", ANY_MEMBERS) \
    JL_PROFILE_MEMBERS
#include "schema/record.h"

#define RECORD matched_container
#define MEMBERS                                                                 \
    STRING(container, "container", "Name of the container.")                    \
    STRING(profile, "profile", "Id of its profile; absent = none.")             \
    STRING(source, "source", "builtin or file.")                                \
    INTEGER(revision, "revision", "Revision of the profile.")                   \
    ENUM(why, "why", jl_profile_why, jl_profile_why_words, "What selected it.") \
    STRING(pattern, "pattern", "Pattern of images or programs that held.")      \
    STRINGS(also_matched, "also_matched", "Other profiles that fit, the best first.")
#include "schema/record.h"

#define RECORD threads_match_out
#define MEMBERS                                                                      \
    STRING(name_space, "namespace", "Namespace of the pod.")                         \
    STRING(pod, "pod", "Name of the pod.")                                           \
    ENUM(tier, "tier", jl_tier, jl_tier_words, "Its tier.")                          \
    LIST(containers, "containers", matched_container, "Containers, sidecars first.") \
    STRINGS(events, "events", "unknown_profile, shape_mismatch: what annotations got wrong.")
#include "schema/record.h"

/* The names that the input gives for a container. */
static int read_exes(struct jl_ask *ask, struct json_object *exes, const char *container,
                     struct jl_detect_input *out)
{
    struct json_object *names = NULL;
    if (!json_object_object_get_ex(exes, container, &names) || names == NULL)
        return 0;
    if (!json_object_is_type(names, json_type_array))
        return jl_ask_fail(ask, JOULIE_E_TYPE, jl_ask_path(ask, "exes.%s", container),
                           "an array of strings was expected");
    const size_t count = json_object_array_length(names);
    const char **items = JL_NEW_ARRAY(ask->arena, count, const char *);
    for (size_t i = 0; items != NULL && i < count; i++) {
        struct json_object *name = json_object_array_get_idx(names, i);
        if (!json_object_is_type(name, json_type_string))
            return jl_ask_fail(ask, JOULIE_E_TYPE, jl_ask_path(ask, "exes.%s[%zu]", container, i),
                               "a string was expected");
        items[i] = jl_arena_string(ask->arena, json_object_get_string(name));
    }
    out->exes = items;
    out->exe_count = count;
    return ask->arena->is_failed ? jl_fail_memory(ask->err) : 0;
}

static void put_choice(const struct jl_choice *choice, struct matched_container *out)
{
    JL_SET(out, why, choice->why);
    JL_SET(out, also_matched, ((struct jl_list){ choice->also_matched, choice->also_count }));
    JL_SET_IF(out, pattern, choice->pattern != NULL, choice->pattern);
    if (choice->entry == NULL)
        return;
    JL_SET(out, profile, choice->entry->profile->id);
    JL_SET(out, source, source_of(choice->entry));
    JL_SET(out, revision, choice->entry->profile->revision);
}

/* What a pod's containers have in common. */
struct matching {
    struct jl_detect_input input;
    struct json_object *exes;
    struct matched_container *items; /* room for all of them */
    size_t count;
    bool is_unknown_id;
    bool is_shape_mismatch;
};

static int match_containers(struct jl_ask *ask, struct matching *matching,
                            const struct jl_list *containers, bool only_sidecars)
{
    for (size_t i = 0; i < containers->count; i++) {
        const struct jl_container *container = JL_ITEM(*containers, jl_container, i);
        struct jl_detect_input input = matching->input;
        struct jl_choice choice;
        if (only_sidecars && !jl_is_sidecar(container))
            continue;
        input.container = container;
        const int rc = read_exes(ask, matching->exes, container->name, &input);
        if (rc < 0)
            return rc;
        if (jl_choose_profile(ask->arena, &input, &choice) < 0)
            return jl_fail_memory(ask->err);
        struct matched_container *item = &matching->items[matching->count++];
        JL_SET_IF(item, container, container->given.name, container->name);
        put_choice(&choice, item);
        matching->is_unknown_id = matching->is_unknown_id || choice.is_unknown_id;
        matching->is_shape_mismatch = matching->is_shape_mismatch || choice.is_shape_mismatch;
    }
    return 0;
}

static int put_events(struct jl_ask *ask, const struct matching *matching,
                      struct threads_match_out *out)
{
    const char **events = JL_NEW_ARRAY(ask->arena, 2, const char *);
    size_t count = 0;
    if (events == NULL)
        return jl_fail_memory(ask->err);
    if (matching->is_unknown_id)
        events[count++] = "unknown_profile";
    if (matching->is_shape_mismatch)
        events[count++] = "shape_mismatch";
    JL_SET(out, events, ((struct jl_list){ events, count }));
    return 0;
}

static int answer_threads_match(struct jl_ask *ask, const struct threads_match_in *in,
                                struct threads_match_out *out)
{
    const struct jl_path exes_at = { .key = jl_text("exes") };
    const struct jl_pod *pod = &in->pod;
    JL_CLEANUP(jl_tree_clear) struct json_object *exes = NULL;
    struct jl_profile_set set;
    struct jl_thread_machine machine = in->machine;
    struct jl_tier_config tiers;
    int rc = jl_ask_profile_set(ask, &in->profiles, &in->profile_files, in->no_builtins, &set);
    if (rc == 0 && in->given.exes)
        rc = jl_tree_from_raw(ask->decode, &in->exes, &exes_at, &exes);
    if (rc < 0)
        return rc;
    jl_machine_derive(&machine);
    struct matching matching = { .input = { .profiles = &set, .pod = pod, .machine = &machine },
                                 .exes = exes };
    matching.items =
        JL_NEW_ARRAY(ask->arena, pod->spec.containers.count + pod->spec.init_containers.count,
                     struct matched_container);
    if (matching.items == NULL)
        return jl_fail_memory(ask->err);
    rc = match_containers(ask, &matching, &pod->spec.init_containers, true);
    if (rc == 0)
        rc = match_containers(ask, &matching, &pod->spec.containers, false);
    if (rc < 0)
        return rc;
    jl_tier_defaults(&tiers);
    JL_SET_IF(out, name_space, pod->meta.given.name_space, pod->meta.name_space);
    JL_SET_IF(out, pod, pod->meta.given.name, pod->meta.name);
    JL_SET(out, tier, jl_pod_tier(pod, &tiers));
    JL_SET(out, containers, ((struct jl_list){ matching.items, matching.count }));
    return put_events(ask, &matching, out);
}

JL_QUESTION(threads_match, "threads.match", "the tier of a pod and the profiles of its containers");
