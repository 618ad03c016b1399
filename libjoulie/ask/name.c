/* SPDX-License-Identifier: Apache-2.0 */

/* name.object: name of an object that we write (joulie-control.md §1, classifier D8). */

#include "ask/ask.h"
#include "base/error.h"
#include "kinds/naming.h"

enum named_kind {
    KIND_UNKNOWN,
    KIND_NODE_TWIN,
    KIND_NODE_HARDWARE,
    KIND_NODE_POWER_PROFILE,
    KIND_WORKLOAD_PROFILE
};

enum writer { WRITER_UNKNOWN, WRITER_OPERATOR, WRITER_AGENT };

static const struct jl_word kind_word_items[] = {
    { KIND_NODE_TWIN, "NodeTwin" },
    { KIND_NODE_HARDWARE, "NodeHardware" },
    { KIND_NODE_POWER_PROFILE, "NodePowerProfile" },
    { KIND_WORKLOAD_PROFILE, "WorkloadProfile" },
};
static const struct jl_words kind_words = JL_WORDS(kind_word_items);

static const struct jl_word writer_word_items[] = {
    { WRITER_OPERATOR, "operator" },
    { WRITER_AGENT, "agent" },
};
static const struct jl_words writer_words = JL_WORDS(writer_word_items);

struct name_in {
    uint64_t has;
    enum named_kind kind;
    const char *node_name;
    enum writer writer;
    struct jl_map existing;
    const char *name_space;
    const char *pod_name;
    const char *owner_kind;
    const char *owner_name;
};

enum {
    IN_KIND,
    IN_NODE_NAME,
    IN_WRITER,
    IN_EXISTING,
    IN_NAMESPACE,
    IN_POD_NAME,
    IN_OWNER_KIND,
    IN_OWNER_NAME
};

static const struct jl_row in_rows[] = {
    [IN_KIND] = JL_ENUM(name_in, kind, "kind", &kind_words, .flags = JL_REQUIRED,
                        .doc = "Kind of the object."),
    [IN_NODE_NAME] =
        JL_STRING(name_in, node_name, "nodeName", .doc = "Node that the object is about."),
    [IN_WRITER] = JL_ENUM(name_in, writer, "writer", &writer_words,
                          .doc = "Program that writes it (v0.1.1 only); operator is the default."),
    [IN_EXISTING] = JL_MAP(name_in, existing, "existing",
                           .doc = "Names of the objects that exist, each with its spec.nodeName."),
    [IN_NAMESPACE] =
        JL_STRING(name_in, name_space, "namespace", .doc = "Namespace of the workload."),
    [IN_POD_NAME] =
        JL_STRING(name_in, pod_name, "podName", .doc = "Pod that the profile is about (v0.1.0)."),
    [IN_OWNER_KIND] =
        JL_STRING(name_in, owner_kind, "ownerKind", .doc = "Kind of the top controller."),
    [IN_OWNER_NAME] =
        JL_STRING(name_in, owner_name, "ownerName", .doc = "Name of the top controller."),
};
static const struct jl_table in_table = JL_TABLE(name_in, in_rows);

struct name_out {
    uint64_t has;
    const char *name;
};

enum { OUT_NAME };

static const struct jl_row out_rows[] = {
    [OUT_NAME] = JL_STRING(name_out, name, "name", .doc = "Name of the object."),
};
static const struct jl_table out_table = JL_TABLE(name_out, out_rows);

static const char *owner_of(const void *existing, const char *object_name)
{
    return jl_map_get(existing, object_name);
}

static int require(struct jl_ask *ask, const struct name_in *in, int bit)
{
    if (JL_HAS(in, bit))
        return 0;
    return jl_ask_fail(ask, JOULIE_E_REQUIRED, in_rows[bit].key, "the member is required");
}

static int name_node_object(struct jl_ask *ask, const struct name_in *in, const char **out)
{
    const int rc = require(ask, in, IN_NODE_NAME);
    if (rc < 0)
        return rc;
    if (in->kind == KIND_NODE_POWER_PROFILE)
        *out = jl_power_profile_name(ask->arena, in->node_name);
    else if (jl_is_current(ask))
        *out = jl_object_name(ask->arena, in->node_name, owner_of, &in->existing);
    else if (in->writer == WRITER_AGENT)
        *out = jl_sanitize_agent(ask->arena, in->node_name);
    else
        *out = jl_sanitize_operator(ask->arena, in->node_name);
    if (*out && **out == '\0')
        return jl_ask_fail(ask, JOULIE_E_PARSE, "nodeName",
                           "no character of \"%.64s\" can stand in an object name", in->node_name);
    return 0;
}

static int name_pod_profile(struct jl_ask *ask, const struct name_in *in, const char **out)
{
    int rc = require(ask, in, IN_NAMESPACE);
    if (rc == 0)
        rc = require(ask, in, IN_POD_NAME);
    if (rc == 0)
        *out = jl_pod_profile_name(ask->arena, in->name_space, in->pod_name);
    return rc;
}

static int name_profile(struct jl_ask *ask, const struct name_in *in, const char **out)
{
    if (jl_is_model(ask, "v0.1.0"))
        return name_pod_profile(ask, in, out);
    if (jl_is_model(ask, "v0.1.1"))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "v0.1.1 has no WorkloadProfile");
    int rc = require(ask, in, IN_NAMESPACE);
    if (rc == 0)
        rc = require(ask, in, IN_OWNER_KIND);
    if (rc == 0)
        rc = require(ask, in, IN_OWNER_NAME);
    if (rc == 0)
        *out = jl_profile_name(ask->arena, in->owner_kind, in->name_space, in->owner_name);
    return rc;
}

static int answer(struct jl_ask *ask, const void *in_struct, void *out_struct)
{
    const struct name_in *in = in_struct;
    struct name_out *out = out_struct;
    const int rc = in->kind == KIND_WORKLOAD_PROFILE ? name_profile(ask, in, &out->name)
                                                     : name_node_object(ask, in, &out->name);
    if (rc < 0)
        return rc;
    if (!out->name)
        return jl_fail_memory(ask->err);
    JL_MARK(out, OUT_NAME);
    return 0;
}

static const char *const models[] = { "current", "v0.1.1", "v0.1.0", NULL };

const struct jl_question jl_question_name_object = {
    .name = "name.object",
    .summary = "name of the object that is written for a node or a workload",
    .in = &in_table,
    .out = &out_table,
    .models = models,
    .answer = answer,
};
