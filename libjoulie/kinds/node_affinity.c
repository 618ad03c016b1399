/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/node_affinity.h"

/* Source of every row: tensor-fusion.md §2.3. */

static const struct jl_row requirement_rows[] = {
    [JL_REQUIREMENT_KEY] = JL_STRING(jl_affinity_requirement, key, "key", .flags = JL_REQUIRED,
                                     .doc = "Label of the node; metadata.name in matchFields."),
    [JL_REQUIREMENT_OP] = JL_STRING(jl_affinity_requirement, op, "operator", .flags = JL_REQUIRED,
                                    .doc = "In, NotIn, Exists, DoesNotExist, Gt or Lt."),
    [JL_REQUIREMENT_VALUES] =
        JL_STRINGS(jl_affinity_requirement, values, "values", .flags = JL_ATOMIC,
                   .doc = "Values to compare with: one integer for Gt and Lt, none for Exists and "
                          "DoesNotExist."),
};
static const struct jl_table requirement_table =
    JL_TABLE(jl_affinity_requirement, requirement_rows);

static const struct jl_row term_rows[] = {
    [JL_AFFINITY_TERM_EXPRESSIONS] =
        JL_LIST(jl_affinity_term, expressions, "matchExpressions", &requirement_table,
                .flags = JL_ATOMIC, .doc = "Requirements on the node's labels that must all hold."),
    [JL_AFFINITY_TERM_FIELDS] =
        JL_LIST(jl_affinity_term, fields, "matchFields", &requirement_table, .flags = JL_ATOMIC,
                .doc = "Requirements on the node's fields that must all hold."),
};
static const struct jl_table term_table =
    JL_TABLE(jl_affinity_term, term_rows, .flags = JL_ATOMIC_MAP);

static const struct jl_row preference_rows[] = {
    [JL_PREFERENCE_TERM] = JL_OBJECT(jl_affinity_preference, preference, "preference", &term_table,
                                     .flags = JL_REQUIRED, .doc = "What the preferred node has."),
    [JL_PREFERENCE_WEIGHT] =
        JL_INTEGER(jl_affinity_preference, weight, "weight", .flags = JL_REQUIRED | JL_INT32,
                   .doc = "Points of a node that has it, 1 to 100."),
};
static const struct jl_table preference_table = JL_TABLE(jl_affinity_preference, preference_rows);

static const struct jl_row required_rows[] = {
    [JL_AFFINITY_REQUIRED_TERMS] =
        JL_LIST(jl_affinity_required, terms, "nodeSelectorTerms", &term_table,
                .flags = JL_REQUIRED | JL_ATOMIC,
                .doc = "Terms of which one must hold; none matches no node."),
};
static const struct jl_table required_table =
    JL_TABLE(jl_affinity_required, required_rows, .flags = JL_ATOMIC_MAP);

static const struct jl_row affinity_rows[] = {
    [JL_PROFILE_AFFINITY_PREFERRED] = JL_LIST(
        jl_profile_affinity, preferred, "preferredDuringSchedulingIgnoredDuringExecution",
        &preference_table, .flags = JL_ATOMIC, .doc = "What makes a node better than another."),
    [JL_PROFILE_AFFINITY_REQUIRED] =
        JL_OBJECT(jl_profile_affinity, required, "requiredDuringSchedulingIgnoredDuringExecution",
                  &required_table, .doc = "What a node must have."),
};
const struct jl_table jl_profile_affinity_table = JL_TABLE(jl_profile_affinity, affinity_rows);
