/* SPDX-License-Identifier: Apache-2.0 */

/* name.object: name of an object that we write (docs/rules/reconcile.md#object-names). */

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

static const struct jl_words kind_words = JL_WORDS({
    { KIND_NODE_TWIN, "NodeTwin" },
    { KIND_NODE_HARDWARE, "NodeHardware" },
    { KIND_NODE_POWER_PROFILE, "NodePowerProfile" },
    { KIND_WORKLOAD_PROFILE, "WorkloadProfile" },
});

static const struct jl_words writer_words = JL_WORDS({
    { WRITER_OPERATOR, "operator" },
    { WRITER_AGENT, "agent" },
});

#define RECORD name_object_in
#define MEMBERS                                                                                \
    ENUM(kind, "kind", named_kind, kind_words, "Kind of the object.", REQUIRED)                \
    STRING(node_name, "nodeName", "Node that the object is about.")                            \
    ENUM(writer, "writer", writer, writer_words,                                               \
         "Program that writes it (v0.1.1 only); operator is the default.")                     \
    MAP(existing, "existing", "Names of the objects that exist, each with its spec.nodeName.") \
    STRING(name_space, "namespace", "Namespace of the workload.")                              \
    STRING(pod_name, "podName", "Pod that the profile is about (v0.1.0).")                     \
    STRING(owner_kind, "ownerKind", "Kind of the top controller.")                             \
    STRING(owner_name, "ownerName", "Name of the top controller.")
#include "schema/record.h"

#define RECORD name_object_out
#define MEMBERS STRING(name, "name", "Name of the object.")
#include "schema/record.h"

static const char *owner_of(const void *existing, const char *object_name)
{
    return jl_map_get(existing, object_name);
}

static int name_node_object(struct jl_ask *ask, const struct name_object_in *in, const char **out)
{
    const int rc =
        jl_ask_require(ask, &name_object_in_table, in, JL_ASK_ROW(name_object_in, node_name));
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

static int name_pod_profile(struct jl_ask *ask, const struct name_object_in *in, const char **out)
{
    const int rc = jl_ask_require(ask, &name_object_in_table, in,
                                  JL_ASK_ROW(name_object_in, name_space) |
                                      JL_ASK_ROW(name_object_in, pod_name));
    if (rc == 0)
        *out = jl_pod_profile_name(ask->arena, in->name_space, in->pod_name);
    return rc;
}

static int name_profile(struct jl_ask *ask, const struct name_object_in *in, const char **out)
{
    if (jl_is_model(ask, "v0.1.0"))
        return name_pod_profile(ask, in, out);
    if (jl_is_model(ask, "v0.1.1"))
        return jl_ask_fail(ask, JOULIE_E_UNSUPPORTED, "kind", "v0.1.1 has no WorkloadProfile");
    const int rc = jl_ask_require(ask, &name_object_in_table, in,
                                  JL_ASK_ROW(name_object_in, name_space) |
                                      JL_ASK_ROW(name_object_in, owner_kind) |
                                      JL_ASK_ROW(name_object_in, owner_name));
    if (rc == 0)
        *out = jl_profile_name(ask->arena, in->owner_kind, in->name_space, in->owner_name);
    return rc;
}

static int answer_name_object(struct jl_ask *ask, const struct name_object_in *in,
                              struct name_object_out *out)
{
    const int rc = in->kind == KIND_WORKLOAD_PROFILE ? name_profile(ask, in, &out->name)
                                                     : name_node_object(ask, in, &out->name);
    if (rc < 0)
        return rc;
    if (!out->name)
        return jl_fail_memory(ask->err);
    out->given.name = true;
    return 0;
}

JL_QUESTION(name_object, "name.object",
            "name of the object that is written for a node or a workload",
            JL_MODELS("current", "v0.1.1", "v0.1.0"));
