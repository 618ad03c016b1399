/* SPDX-License-Identifier: Apache-2.0 */

/* The life of a joulie_node: its options and the twin that it is to keep. */

#include "node/handle.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "kinds/kinds.h"

#define MESSAGE_BYTES ((size_t)1 << 20) /* of backends, kept between two steps */

#define OPTIONS_BITS                                                                         \
    (JOULIE_NODE_HAS_FLOOR | JOULIE_NODE_HAS_SPEC_READ_TIMEOUT | JOULIE_NODE_HAS_STALENESS | \
     JOULIE_NODE_HAS_MAX_AGE)

_Static_assert(sizeof(struct joulie_node_options) ==
                   offsetof(struct joulie_node_options, reserved) + sizeof(uint32_t),
               "no tail padding");

/* ---- options ---- */

static int take_time(bool is_set, int64_t ms, const char *where, int64_t *out,
                     struct joulie_error *err)
{
    if (!is_set)
        return 0;
    if (ms < 0)
        return jl_fail(err, JOULIE_E_RANGE, where, "a time is not negative");
    *out = ms;
    return 0;
}

static int take_times(const struct joulie_node_options *options, struct jl_node_config *out,
                      struct joulie_error *err)
{
    const struct {
        uint64_t bit;
        int64_t ms;
        const char *where;
        int64_t *out;
    } times[] = {
        { JOULIE_NODE_HAS_SPEC_READ_TIMEOUT, options->spec_read_timeout_ms, "spec_read_timeout_ms",
          &out->spec_read_timeout_ms },
        { JOULIE_NODE_HAS_STALENESS, options->staleness_ms, "staleness_ms",
          &out->freshness.staleness_ms },
        { JOULIE_NODE_HAS_MAX_AGE, options->max_age_ms, "max_age_ms", &out->freshness.max_age_ms },
    };

    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(times) && rc == 0; i++)
        rc = take_time((options->has & times[i].bit) != 0, times[i].ms, times[i].where,
                       times[i].out, err);
    return rc;
}

/* NULL leaves the default. */
static int take_text(struct jl_arena *texts, const char *text, const char *where, const char **out,
                     struct joulie_error *err)
{
    const int rc = jl_check_text(text, where, err);
    if (rc < 0 || text == NULL)
        return rc;
    *out = jl_arena_string(texts, text);
    return *out != NULL ? 0 : jl_fail_memory(err);
}

/* Options are copied; a field that is not set keeps its default. */
static int set_up(struct joulie_node *node, const struct joulie_node_options *theirs,
                  struct joulie_error *err)
{
    struct joulie_node_options ours = { .struct_size = sizeof ours };
    struct jl_node_config *config = &node->config;
    jl_node_defaults(config);
    if (theirs != NULL &&
        (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~OPTIONS_BITS) != 0 || ours.reserved != 0))
        return jl_fail_abi(err, "");
    node->is_remote_gpu = ours.is_remote_gpu != 0;
    node->is_remote_cpu = ours.is_remote_cpu != 0;
    config->mode = ours.enforces != 0 ? JL_NODE_ENFORCE : JL_NODE_OBSERVE;
    if (ours.has & JOULIE_NODE_HAS_FLOOR) {
        if (!(ours.floor_pct >= 0 && ours.floor_pct <= 100))
            return jl_fail(err, JOULIE_E_RANGE, "floor_pct", "0 to 100 was expected");
        config->floor_pct = ours.floor_pct;
    }
    int rc = take_times(&ours, config, err);
    if (rc == 0)
        rc = take_text(&node->texts, ours.cpu_backend, "cpu_backend", &config->cpu_backend, err);
    if (rc == 0)
        rc = take_text(&node->texts, ours.gpu_backend, "gpu_backend", &config->gpu_backend, err);
    return rc;
}

int joulie_node_new(const struct joulie_node_options *options, struct joulie_node **out,
                    struct joulie_error *err)
{
    struct joulie_node *node = jl_calloc(1, sizeof *node);
    if (node == NULL)
        return jl_fail_memory(err);
    node->messages.limit = MESSAGE_BYTES;
    const int rc = set_up(node, options, err);
    if (rc < 0)
        joulie_node_free(node);
    else
        *out = node;
    return rc;
}

static void clear_twin(struct jl_desired *twin)
{
    jl_arena_clear(&twin->arena);
    *twin = (struct jl_desired){ .spec = NULL };
}

void joulie_node_free(struct joulie_node *node)
{
    if (node == NULL)
        return;
    jl_parts_clear(&node->parts);
    clear_twin(&node->twin);
    jl_arena_clear(&node->messages);
    jl_arena_clear(&node->summary);
    jl_arena_clear(&node->texts);
    jl_free(node);
}

void joulie_node_set_wall(struct joulie_node *node, int64_t now_ms, int64_t wall_ms)
{
    if (jl_is_instant(now_ms) && jl_is_instant(wall_ms))
        node->wall = (struct jl_wall){ .is_told = true, .now_ms = now_ms, .wall_ms = wall_ms };
}

void joulie_node_heartbeat(struct joulie_node *node, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    node->config.freshness.has_heartbeat = true;
    node->config.freshness.heartbeat_ms = at_ms;
}

/* ---- what is desired ---- */

/* The twin before stays in force until the whole new one is read. */
int joulie_node_put_twin(struct joulie_node *node, const char *text, size_t len,
                         struct joulie_error *err)
{
    JL_CLEANUP(clear_twin) struct jl_desired twin = { .spec = NULL };
    if (text != NULL) {
        int rc = 0;
        const struct jl_node_twin *object =
            jl_node_read_object(text, len, &jl_node_twin_table, &twin.arena, &rc, err);
        if (object == NULL)
            return rc;
        if (!JL_HAS(object, JL_ROOT_SPEC))
            return jl_fail(err, JOULIE_E_REQUIRED, "spec", "the twin does not say what it desires");
        twin.spec = &object->spec;
        twin.last_updated = object->status.last_updated;
    }
    clear_twin(&node->twin);
    node->twin = twin;
    twin = (struct jl_desired){ .spec = NULL };
    jl_node_forget_step(node);
    return 0;
}
