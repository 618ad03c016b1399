/* SPDX-License-Identifier: Apache-2.0 */

/* What a thread profile's tables cannot say of it: sizes, grammars, members that contradict each
 * other, patterns that cannot win (docs/rules/threads.md#findings). */

#include "base/glob.h"
#include "schema/presence.h"
#include "threads/ere.h"
#include "threads/findings.h"
#include "threads/image.h"
#include "threads/pattern.h"

#define STRING_BYTES 256
#define DESCRIPTION_BYTES 512
#define LIST_ITEMS 64
#define GROUPS_MAX 8
#define COMM_BYTES 15
#define REGEX_BYTES 128
#define ID_BYTES 63
#define NAME_BYTES 31
#define EXTRA_DEPTH 4

typedef void check_text_fn(struct jl_findings *findings, const struct jl_path *at,
                           const char *text);

/* Each text of a list; NULL stands for one that could not be read. */
static void check_each(struct jl_findings *findings, const struct jl_path *owner, const char *key,
                       const struct jl_list *list, check_text_fn *check)
{
    const struct jl_path list_at = { .up = owner, .key = jl_text(key) };
    for (size_t i = 0; i < list->count; i++) {
        const struct jl_path at = { .up = &list_at, .index = i };
        if (JL_STRING_ITEM(*list, i) != NULL)
            check(findings, &at, JL_STRING_ITEM(*list, i));
    }
}

/* ---- sizes, by the tables ---- */

static void check_string_size(struct jl_findings *findings, const struct jl_path *at,
                              const char *text)
{
    const bool is_description = jl_text_is(at->key, "description");
    const size_t most = is_description ? DESCRIPTION_BYTES : STRING_BYTES;
    if (jl_text(text).len > most)
        jl_find(findings, JL_E_LIMIT, at, "the text has more than %zu bytes", most);
}

static void check_count(struct jl_findings *findings, const struct jl_path *at, size_t count,
                        size_t most)
{
    if (count > most)
        jl_find(findings, JL_E_LIMIT, at, "%zu items, %zu at most", count, most);
}

/* Tables and arrays inside each other. */
static size_t depth_of(struct jl_text json)
{
    size_t depth = 0;
    size_t deepest = 0;
    bool is_in_string = false;
    for (size_t i = 0; i < json.len; i++) {
        const char c = json.ptr[i];
        if (c == '"')
            is_in_string = !is_in_string;
        else if (is_in_string && c == '\\')
            i++;
        else if (!is_in_string && (c == '{' || c == '['))
            deepest = ++depth > deepest ? depth : deepest;
        else if (!is_in_string && (c == '}' || c == ']'))
            depth--;
    }
    return deepest;
}

static void check_extras(struct jl_findings *findings, const struct jl_path *owner,
                         const struct jl_table *table, const void *object)
{
    for (const struct jl_extra *extra = jl_first_extra(table, object); extra != NULL;
         extra = extra->next) {
        const struct jl_path at = { .up = owner, .key = extra->key };
        const struct jl_text value = { extra->value.text, extra->value.len };
        if (depth_of(value) > EXTRA_DEPTH)
            jl_find(findings, JL_E_LIMIT, &at, "more than %d tables and arrays inside each other",
                    EXTRA_DEPTH);
    }
}

static void check_sizes(struct jl_findings *findings, const struct jl_path *owner,
                        const struct jl_table *table, const void *object);

static void check_map_sizes(struct jl_findings *findings, const struct jl_path *at,
                            const struct jl_map *map)
{
    check_count(findings, at, map->count, LIST_ITEMS);
    for (size_t i = 0; i < map->count; i++) {
        const struct jl_path value_at = { .up = at, .key = jl_text(map->items[i].key) };
        check_string_size(findings, &value_at, map->items[i].key);
        check_string_size(findings, &value_at, map->items[i].value);
    }
}

static void check_row_sizes(struct jl_findings *findings, const struct jl_path *at,
                            const struct jl_row *row, const void *member)
{
    const struct jl_list *list = member;
    if (row->type == JL_TYPE_STRING)
        check_string_size(findings, at, *(const char *const *)member);
    if (row->type == JL_TYPE_MAP)
        check_map_sizes(findings, at, member);
    if (row->type == JL_TYPE_OBJECT)
        check_sizes(findings, at, row->child, member);
    if (row->type == JL_TYPE_STRINGS) {
        check_count(findings, at, list->count, LIST_ITEMS);
        check_each(findings, at->up, row->key, list, check_string_size);
    }
    if (row->type == JL_TYPE_LIST) {
        check_count(findings, at, list->count, GROUPS_MAX);
        for (size_t i = 0; i < list->count; i++) {
            const struct jl_path item_at = { .up = at, .index = i };
            check_sizes(findings, &item_at, row->child,
                        (const char *)list->items + i * row->child->size);
        }
    }
}

static void check_sizes(struct jl_findings *findings, const struct jl_path *owner,
                        const struct jl_table *table, const void *object)
{
    for (uint64_t left = jl_rows_present(table, object); left != 0; left &= left - 1) {
        const struct jl_row *row = &table->rows[__builtin_ctzll(left)];
        const struct jl_path at = { .up = owner, .key = jl_text(row->key) };
        check_row_sizes(findings, &at, row, (const char *)object + row->offset);
    }
    check_extras(findings, owner, table, object);
}

/* ---- grammars ---- */

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static void check_id(struct jl_findings *findings, const struct jl_path *at, const char *id)
{
    const struct jl_text text = jl_text(id);
    bool is_id = text.len > 0 && text.len <= ID_BYTES && id[0] != '-' && id[text.len - 1] != '-';
    for (size_t i = 0; i < text.len; i++)
        is_id = is_id && (is_small(id[i]) || jl_is_digit(id[i]) || id[i] == '-');
    if (!is_id)
        jl_find(findings, JL_E_RANGE, at,
                "an id is 1 to %d small letters, digits and dashes, no dash at either end",
                ID_BYTES);
}

static void check_group_name(struct jl_findings *findings, const struct jl_path *at,
                             const char *name)
{
    const struct jl_text text = jl_text(name);
    bool is_name = text.len <= NAME_BYTES && is_small(name[0]);
    for (size_t i = 0; i < text.len; i++)
        is_name = is_name && (is_small(name[i]) || jl_is_digit(name[i]) || name[i] == '_');
    if (!is_name)
        jl_find(findings, JL_E_RANGE, at,
                "a name is 1 to %d small letters, digits and '_', a letter first", NAME_BYTES);
}

static void check_glob(struct jl_findings *findings, const struct jl_path *at, const char *text)
{
    if (jl_glob_check(jl_text(text)) < 0)
        jl_find(findings, JL_E_GLOB, at,
                "a bracket is not closed, or a backslash is the last byte");
}

static void check_comm(struct jl_findings *findings, const struct jl_path *at, const char *text)
{
    if (jl_glob_check(jl_text(text)) < 0)
        check_glob(findings, at, text);
    else if (jl_glob_length(jl_text(text)) > COMM_BYTES)
        jl_find(findings, JL_E_RANGE, at, "names of threads have %d bytes at most", COMM_BYTES);
}

/* The name of a thread of its own: only as a prefix can the scheduler's rules express it. */
static void check_wanted_comm(struct jl_findings *findings, const struct jl_path *at,
                              const char *text)
{
    const struct jl_text pattern = jl_text(text);
    check_comm(findings, at, text);
    if (jl_pattern_literal(pattern).len == pattern.len && pattern.len < COMM_BYTES)
        jl_find(findings, JL_W_APPROX, at,
                "scx_layered takes it as a prefix: \"%.64s\" and what begins with it", text);
}

static void check_prefix(struct jl_findings *findings, const struct jl_path *at, const char *text)
{
    const size_t len = jl_text(text).len;
    if (len < 1 || len > COMM_BYTES)
        jl_find(findings, JL_E_RANGE, at, "a prefix has 1 to %d bytes", COMM_BYTES);
}

static void check_regex(struct jl_findings *findings, const struct jl_path *at, const char *text)
{
    const struct jl_ere *ere;
    if (jl_text(text).len > REGEX_BYTES) {
        jl_find(findings, JL_E_RANGE, at, "an expression has %d bytes at most", REGEX_BYTES);
        return;
    }
    const int rc = jl_ere_compile(findings->arena, jl_text(text), &ere);
    if (rc < 0)
        jl_find(findings, JL_E_REGEX, at,
                rc == JOULIE_E_LIMIT ? "the expression is too large"
                                     : "this is no extended regular expression");
}

static void check_image(struct jl_findings *findings, const struct jl_path *at, const char *text)
{
    struct jl_image_pattern pattern;
    if (jl_image_pattern_parse(jl_text(text), &pattern) < 0)
        jl_find(findings, JL_E_IMAGE, at, "\"%.64s\" is no pattern of images", text);
}

/* ---- the parts of a profile ---- */

static void check_fingerprint(struct jl_findings *findings, const struct jl_path *root,
                              const struct jl_fingerprint *print)
{
    const struct jl_path at = { .up = root, .key = jl_text("fingerprint") };
    check_each(findings, &at, "images", &print->images, check_image);
    check_each(findings, &at, "exe", &print->exe, check_glob);
    check_each(findings, &at, "annotation_ids", &print->annotation_ids, check_id);
    if (print->images.count + print->exe.count + print->labels.count == 0 &&
        !print->annotation_only)
        jl_find(findings, JL_E_CONFLICT, &at,
                "nothing to recognise it by: give images, exe or labels, or annotation_only");
}

static void check_match(struct jl_findings *findings, const struct jl_path *group_at,
                        const struct jl_thread_match *match)
{
    const struct jl_path at = { .up = group_at, .key = jl_text("match") };
    const struct jl_path container_at = { .up = &at, .key = jl_text("container") };
    const struct jl_path cgroup_at = { .up = &at, .key = jl_text("cgroup") };
    check_each(findings, &at, "comm", &match->comm, check_wanted_comm);
    check_each(findings, &at, "prefix", &match->prefix, check_prefix);
    check_each(findings, &at, "comm_regex", &match->comm_regex, check_regex);
    check_each(findings, &at, "exclude_comm", &match->exclude_comm, check_comm);
    check_each(findings, &at, "cmdline", &match->cmdline, check_glob);
    check_each(findings, &at, "exe", &match->exe, check_glob);
    if (match->given.container)
        check_glob(findings, &container_at, match->container);
    if (match->given.cgroup)
        check_glob(findings, &cgroup_at, match->cgroup);
    if (!jl_match_has_predicate(match))
        jl_find(findings, JL_E_CONFLICT, &at, "no member tells threads apart");
}

static void check_exclusive(struct jl_findings *findings, const struct jl_path *group_at,
                            const struct jl_exclusive *exclusive,
                            const struct jl_machine_shape *shape)
{
    const struct jl_path at = { .up = group_at, .key = jl_text("exclusive") };
    const struct jl_path cores_at = { .up = &at, .key = jl_text("cores") };
    const struct jl_path least_at = { .up = &at, .key = jl_text("min_cores") };
    const int64_t least = JL_GIVEN_OR(exclusive, min_cores, 1);
    if (exclusive->given.cores && exclusive->cores != JL_CORES_AUTO) {
        if (least > exclusive->cores)
            jl_find(findings, JL_E_CONFLICT, &least_at, "more than cores");
        if (!shape->given.logical_cpus && !shape->given.physical_cores)
            jl_find(findings, JL_W_SHAPE, &cores_at,
                    "a number of cores, and machine_shape does not say of how many");
    }
    if (exclusive->max_cores > 0 && least > exclusive->max_cores)
        jl_find(findings, JL_E_CONFLICT, &least_at, "more than max_cores");
}

static void check_details(struct jl_findings *findings, const struct jl_path *at,
                          const struct jl_thread_group *group)
{
    static const enum jl_treatment owners[] = { JL_TREATMENT_EXCLUSIVE, JL_TREATMENT_LATENCY,
                                                JL_TREATMENT_YIELD };

    const bool given[] = { group->given.exclusive, group->given.latency, group->given.yield };
    for (size_t i = 0; i < JL_COUNT(owners); i++) {
        const char *word = jl_word_of(&jl_treatment_words, (int)owners[i]);
        const struct jl_path details_at = { .up = at, .key = jl_text(word) };
        if (given[i] && group->given.treatment && group->treatment != owners[i])
            jl_find(findings, JL_E_CONFLICT, &details_at, "the treatment is %s",
                    jl_word_of(&jl_treatment_words, (int)group->treatment));
    }
}

static bool is_name_taken(const struct jl_list *groups, size_t index)
{
    const char *name = JL_ITEM(*groups, jl_thread_group, index)->name;
    for (size_t i = 0; i < index; i++)
        if (jl_same(JL_ITEM(*groups, jl_thread_group, i)->name, name))
            return true;
    return false;
}

static void check_group(struct jl_findings *findings, const struct jl_path *list_at,
                        const struct jl_thread_profile *profile, size_t index)
{
    const struct jl_thread_group *group = JL_ITEM(profile->groups, jl_thread_group, index);
    const struct jl_path at = { .up = list_at, .index = index };
    const struct jl_path name_at = { .up = &at, .key = jl_text("name") };
    if (group->given.name) {
        check_group_name(findings, &name_at, group->name);
        if (is_name_taken(&profile->groups, index))
            jl_find(findings, JL_E_CONFLICT, &name_at, "another group has this name");
    }
    if (group->given.match)
        check_match(findings, &at, &group->match);
    check_details(findings, &at, group);
    if (group->given.exclusive)
        check_exclusive(findings, &at, &group->exclusive, &profile->machine_shape);
}

/* ---- patterns that an earlier group takes all threads of ---- */

static bool is_taken(const struct jl_list *groups, size_t index, struct jl_text pattern,
                     bool is_prefix)
{
    for (size_t i = 0; i < index; i++)
        if (jl_match_covers(&JL_ITEM(*groups, jl_thread_group, i)->match, pattern, is_prefix))
            return true;
    return false;
}

static void check_taken(struct jl_findings *findings, const struct jl_path *match_at,
                        const char *key, const struct jl_list *patterns,
                        const struct jl_list *groups, size_t index)
{
    const struct jl_path key_at = { .up = match_at, .key = jl_text(key) };
    for (size_t i = 0; i < patterns->count; i++) {
        const struct jl_path at = { .up = &key_at, .index = i };
        const char *pattern = JL_STRING_ITEM(*patterns, i);
        if (pattern != NULL && is_taken(groups, index, jl_text(pattern), jl_same(key, "prefix")))
            jl_find(findings, JL_W_SHADOWED, &at, "an earlier group takes all of these threads");
    }
}

static void check_shadows(struct jl_findings *findings, const struct jl_path *list_at,
                          const struct jl_list *groups)
{
    for (size_t i = 1; i < groups->count; i++) {
        const struct jl_thread_match *match = &JL_ITEM(*groups, jl_thread_group, i)->match;
        const struct jl_path at = { .up = list_at, .index = i };
        const struct jl_path match_at = { .up = &at, .key = jl_text("match") };
        check_taken(findings, &match_at, "comm", &match->comm, groups, i);
        check_taken(findings, &match_at, "prefix", &match->prefix, groups, i);
    }
}

void jl_check_profile(const struct jl_thread_profile *profile, const struct jl_path *root,
                      struct jl_findings *findings)
{
    const struct jl_path id_at = { .up = root, .key = jl_text("id") };
    const struct jl_path groups_at = { .up = root, .key = jl_text("thread_groups") };
    const struct jl_path shape_at = { .up = root, .key = jl_text("machine_shape") };
    const struct jl_path model_at = { .up = &shape_at, .key = jl_text("cpu_model") };
    check_sizes(findings, root, &jl_thread_profile_table, profile);
    if (profile->given.id)
        check_id(findings, &id_at, profile->id);
    if (profile->given.fingerprint)
        check_fingerprint(findings, root, &profile->fingerprint);
    if (profile->machine_shape.given.cpu_model)
        check_glob(findings, &model_at, profile->machine_shape.cpu_model);
    if (profile->given.groups && profile->groups.count == 0)
        jl_find(findings, JL_E_MISSING, &groups_at, "a profile has at least one group");
    for (size_t i = 0; i < profile->groups.count; i++)
        check_group(findings, &groups_at, profile, i);
    check_shadows(findings, &groups_at, &profile->groups);
}
