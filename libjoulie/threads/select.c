/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The profile of a container (docs/rules/threads.md#which-profile): the annotation of its pod, else
 * the best one whose image patterns, programs and labels fit. Called by the questions of threads.
 */

#include "threads/select.h"

#include "base/glob.h"
#include "base/sort.h"

const struct jl_words jl_profile_why_words = JL_WORDS({
    { JL_WHY_ANNOTATION, "annotation" },
    { JL_WHY_IMAGE, "image" },
    { JL_WHY_EXE, "exe" },
    { JL_WHY_LABELS, "labels" },
    { JL_WHY_NONE, "none" },
});

/* ---- what an annotation says ---- */

static const char *const annotation_keys[] = {
    "joulie.io/thread-profile",
    "temper.codes/workload-profile",
    "infera.io/workload-profile",
};

/* The id that a pod's annotation gives a container; ptr NULL = it says nothing of it. */
static struct jl_text annotated(const struct jl_pod *pod, const char *container)
{
    const char *value = NULL;
    for (size_t i = 0; i < JL_COUNT(annotation_keys) && value == NULL; i++)
        value = jl_map_get(&pod->meta.annotations, annotation_keys[i]);
    struct jl_text rest = jl_text(value);
    if (value == NULL || jl_text_find(rest, '=') == rest.len)
        return value != NULL ? jl_text_trim(rest) : (struct jl_text){ 0 };
    while (rest.len > 0) {
        struct jl_text id = jl_text_trim(jl_text_cut(&rest, ','));
        if (jl_text_is(jl_text_trim(jl_text_cut(&id, '=')), container))
            return jl_text_trim(id);
    }
    return (struct jl_text){ 0 };
}

/* ---- candidates ---- */

struct candidate {
    const struct jl_profile_entry *entry;
    enum jl_profile_why why;
    const char *pattern;
    struct jl_specificity specificity; /* of an image pattern */
};

/* Of one id: built-ins last, the more specific shape first, then the higher revision, then the
 * path. */
static int within_id(const struct jl_profile_entry *a, const struct jl_profile_entry *b)
{
    if (a->is_builtin != b->is_builtin)
        return JL_ORDER(a->is_builtin, b->is_builtin);
    const int shape = jl_compare_shapes(&b->profile->machine_shape, &a->profile->machine_shape);
    if (shape != 0)
        return shape;
    if (a->profile->revision != b->profile->revision)
        return JL_ORDER(b->profile->revision, a->profile->revision);
    return jl_compare(a->file, b->file);
}

/* Across ids: a negative number when a wins. */
static int across_ids(const void *first, const void *second, void *user)
{
    const struct candidate *a = first;
    const struct candidate *b = second;
    const struct jl_thread_profile *x = a->entry->profile;
    const struct jl_thread_profile *y = b->entry->profile;
    (void)user;
    int order = jl_compare_specificity(&b->specificity, &a->specificity);
    if (order == 0)
        order = JL_ORDER(y->fingerprint.priority, x->fingerprint.priority);
    if (order == 0)
        order = jl_compare_shapes(&y->machine_shape, &x->machine_shape);
    if (order == 0)
        order = JL_ORDER(a->entry->is_builtin, b->entry->is_builtin);
    return order != 0 ? order : jl_compare(x->id, y->id);
}

/* Whether a file that is switched off, and is for this machine, takes the built-in of its id with
 * it. */
static bool is_suppressed(const struct jl_profile_set *set, const struct jl_profile_entry *entry,
                          const struct jl_thread_machine *machine)
{
    for (size_t i = 0; entry->is_builtin && i < set->count; i++) {
        const struct jl_thread_profile *other = set->items[i].profile;
        if (!set->items[i].is_builtin && !other->enabled &&
            jl_same(other->id, entry->profile->id) &&
            (machine == NULL || jl_shape_matches(&other->machine_shape, machine)))
            return true;
    }
    return false;
}

static bool is_usable(const struct jl_profile_set *set, const struct jl_profile_entry *entry,
                      const struct jl_thread_machine *machine)
{
    return entry->profile->enabled && !is_suppressed(set, entry, machine);
}

static bool is_for(const struct jl_profile_entry *entry, const struct jl_thread_machine *machine)
{
    return machine == NULL || jl_shape_matches(&entry->profile->machine_shape, machine);
}

/* ---- detection ---- */

struct facts { /* of a container */
    bool has_image;
    struct jl_image image;
};

/* The most specific pattern of a profile that describes the image. */
static void match_images(const struct jl_fingerprint *print, const struct facts *facts,
                         struct candidate *out)
{
    for (size_t i = 0; facts->has_image && i < print->images.count; i++) {
        const char *text = JL_STRING_ITEM(print->images, i);
        struct jl_image_pattern pattern;
        if (jl_image_pattern_parse(jl_text(text), &pattern) < 0 ||
            !jl_image_matches(&pattern, &facts->image))
            continue;
        const struct jl_specificity specificity = jl_image_specificity(&pattern);
        if (out->why == JL_WHY_IMAGE &&
            jl_compare_specificity(&specificity, &out->specificity) <= 0)
            continue;
        out->why = JL_WHY_IMAGE;
        out->pattern = text;
        out->specificity = specificity;
    }
}

static const char *match_exes(const struct jl_fingerprint *print, const struct jl_detect_input *in)
{
    for (size_t i = 0; i < print->exe.count; i++)
        for (size_t k = 0; k < in->exe_count; k++)
            if (jl_glob_match(jl_text(JL_STRING_ITEM(print->exe, i)), jl_text(in->exes[k])))
                return JL_STRING_ITEM(print->exe, i);
    return NULL;
}

static bool has_labels(const struct jl_fingerprint *print, const struct jl_pod *pod)
{
    for (size_t i = 0; i < print->labels.count; i++)
        if (!jl_same(jl_map_get(&pod->meta.labels, print->labels.items[i].key),
                     print->labels.items[i].value))
            return false;
    return true;
}

static bool detects(const struct jl_detect_input *in, const struct facts *facts,
                    struct candidate *out)
{
    const struct jl_fingerprint *print = &out->entry->profile->fingerprint;
    if (print->annotation_only || !has_labels(print, in->pod))
        return false;
    match_images(print, facts, out);
    const bool has_image = out->why == JL_WHY_IMAGE;
    const char *exe = match_exes(print, in);
    if (!has_image && exe != NULL) {
        out->why = JL_WHY_EXE;
        out->pattern = exe;
    }
    if (print->images.count == 0 && print->exe.count == 0) {
        out->why = JL_WHY_LABELS;
        return print->labels.count > 0;
    }
    if (print->images.count > 0 && print->exe.count > 0 && print->match == JL_ALL_OF)
        return has_image && exe != NULL;
    return has_image || exe != NULL;
}

/* Adds a candidate; of one id only the best stays. */
static void add(struct candidate *list, size_t *count, const struct candidate *candidate)
{
    for (size_t i = 0; i < *count; i++) {
        if (!jl_same(list[i].entry->profile->id, candidate->entry->profile->id))
            continue;
        if (within_id(candidate->entry, list[i].entry) < 0)
            list[i] = *candidate;
        return;
    }
    list[(*count)++] = *candidate;
}

static int detect(struct jl_arena *arena, const struct jl_detect_input *in, struct jl_choice *out)
{
    const size_t most = in->profiles->count;
    struct candidate *list = JL_NEW_ARRAY(arena, most, struct candidate);
    struct candidate *scratch = JL_NEW_ARRAY(arena, most, struct candidate);
    const char **also = JL_NEW_ARRAY(arena, most, const char *);
    struct facts facts = { 0 };
    size_t count = 0;
    if (list == NULL || scratch == NULL || also == NULL)
        return jl_arena_code(arena);
    if (in->container->image != NULL) {
        const int rc = jl_image_parse(arena, in->container->image, &facts.image);
        facts.has_image = rc == 0;
        if (rc < 0 && rc != JOULIE_E_PARSE)
            return rc;
    }
    for (size_t i = 0; i < most; i++) {
        struct candidate candidate = { .entry = &in->profiles->items[i] };
        if (is_usable(in->profiles, candidate.entry, in->machine) &&
            is_for(candidate.entry, in->machine) && detects(in, &facts, &candidate))
            add(list, &count, &candidate);
    }
    jl_sort_with(list, count, sizeof *list, across_ids, NULL, scratch);
    for (size_t i = 1; i < count; i++)
        also[i - 1] = list[i].entry->profile->id;
    out->why = JL_WHY_NONE;
    if (count > 0) {
        out->entry = list[0].entry;
        out->why = list[0].why;
        out->pattern = list[0].pattern;
        out->also_count = count - 1;
    }
    out->also_matched = also;
    return 0;
}

/* ---- by id ---- */

static bool has_id(const struct jl_thread_profile *profile, struct jl_text id, bool with_aliases)
{
    if (jl_text_is(id, profile->id))
        return true;
    const struct jl_list *aliases = &profile->fingerprint.annotation_ids;
    for (size_t i = 0; with_aliases && i < aliases->count; i++)
        if (jl_text_is(id, JL_STRING_ITEM(*aliases, i)))
            return true;
    return false;
}

static const struct jl_profile_entry *find(const struct jl_profile_set *set, struct jl_text id,
                                           bool with_aliases,
                                           const struct jl_thread_machine *machine, bool *is_known)
{
    const struct jl_profile_entry *best = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const struct jl_profile_entry *entry = &set->items[i];
        if (!has_id(entry->profile, id, with_aliases) || !is_usable(set, entry, machine))
            continue;
        *is_known = true;
        if (!is_for(entry, machine))
            continue;
        const struct candidate ours = { .entry = entry };
        const struct candidate theirs = { .entry = best };
        if (best == NULL ||
            (jl_same(best->profile->id, entry->profile->id) ? within_id(entry, best) < 0
                                                            : across_ids(&ours, &theirs, NULL) < 0))
            best = entry;
    }
    return best;
}

const struct jl_profile_entry *jl_find_profile(const struct jl_profile_set *set, const char *id,
                                               const struct jl_thread_machine *machine,
                                               bool *is_known)
{
    *is_known = false;
    return find(set, jl_text(id), false, machine, is_known);
}

bool jl_is_sidecar(const struct jl_container *container)
{
    return jl_same(container->restart_policy, "Always");
}

int jl_choose_profile(struct jl_arena *arena, const struct jl_detect_input *in,
                      struct jl_choice *out)
{
    const struct jl_text id = annotated(in->pod, in->container->name);
    bool is_known = false;
    *out = (struct jl_choice){ 0 };
    if (id.ptr == NULL)
        return detect(arena, in, out);
    out->why = JL_WHY_ANNOTATION;
    if (jl_text_is(id, "none"))
        return 0;
    out->entry = find(in->profiles, id, false, in->machine, &is_known);
    if (!is_known)
        out->entry = find(in->profiles, id, true, in->machine, &is_known);
    out->is_unknown_id = !is_known;
    out->is_shape_mismatch = is_known && out->entry == NULL;
    return 0;
}
