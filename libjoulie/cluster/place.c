/* SPDX-License-Identifier: Apache-2.0 */

/* joulie_cluster_place(): placement into columns, the rules of docs/rules/placement.md over what
 * the model knows, without text and without memory. */

#include "base/error.h"
#include "base/sized.h"
#include "cluster/call.h"
#include "cluster/candidates.h"
#include "cluster/state.h"
#include "place/config.h"
#include "place/row_rules.h"

#define RANGE 10 /* of the wire numbers, as kube-scheduler takes them */

static void put_int(const struct joulie_column_int_out *column, size_t row, int32_t value)
{
    if (column->at != NULL)
        *(int32_t *)(void *)((char *)column->at + (int64_t)row * column->stride) = value;
}

static void put_number(const struct joulie_column_out *column, size_t row, double value)
{
    if (column->at != NULL)
        *(double *)(void *)((char *)column->at + (int64_t)row * column->stride) = value;
}

#define PUT_COST(member, column) put_number(&out->column, row, score->cost.member);

static void put_row(const struct joulie_place_columns_out *out, size_t row,
                    enum joulie_reject reject, const struct jl_place_score *score)
{
    const struct jl_place_terms *terms = &score->terms;
    put_int(&out->code, row, JOULIE_OK);
    put_int(&out->reject, row, (int32_t)reject);
    put_int(&out->basis, row, (int32_t)score->basis);
    put_int(&out->score, row, score->score);
    put_number(&out->raw, row, score->raw);
    put_number(&out->projected_headroom_score, row, score->projected_headroom);
    put_number(&out->marginal_w, row, score->marginal_w);
    put_number(&out->term_headroom, row, terms->headroom);
    put_number(&out->term_cooling, row, terms->cooling);
    put_number(&out->term_trend, row, terms->trend);
    put_number(&out->term_profile_bonus, row, terms->profile_bonus);
    put_number(&out->term_pressure, row, terms->pressure);
    put_number(&out->term_sensitivity, row, terms->sensitivity);
    put_number(&out->term_psu, row, terms->psu);
    put_number(&out->term_marginal_penalty, row, terms->marginal_penalty);
    put_number(&out->term_idle_gpu, row, terms->idle_gpu);
    JL_PLACE_COSTS(PUT_COST)
}

struct pass {
    struct joulie_cluster *cluster;
    struct jl_place_request request;
    struct jl_place_field field;
};

static enum joulie_reject score_node(struct pass *pass, size_t i, struct jl_place_score *out)
{
    struct jl_place_node room;
    const struct jl_place_node *node =
        jl_cluster_loaded_row(pass->cluster, &pass->cluster->rows.nodes[i], &room);
    jl_place_score_request(&pass->request, node, out);
    const enum joulie_reject reject = jl_place_filter_request(&pass->request, node);
    if (reject == JOULIE_REJECT_OFF)
        out->score = 0;
    return reject != JOULIE_REJECT_NONE ? reject : node->closed;
}

/* What depends on all rows: scores of unknown nodes and of efficiency, and the spread by rank. */
static void place_late(struct pass *pass, const struct joulie_place_columns_out *out)
{
    const struct joulie_place_config *config = &pass->cluster->place_config;
    struct jl_place_score score;
    for (size_t i = 0; i < pass->cluster->order.known_count; i++) {
        const enum joulie_reject reject = score_node(pass, i, &score);
        const struct jl_place_point point = jl_place_point_of(reject, &score);
        put_int(&out->score, i, jl_place_field_score(config, &pass->field, &point));
        put_int(&out->wire, i, jl_place_field_wire(config, &pass->field, &point, RANGE));
    }
}

static void place_all(struct joulie_cluster *cluster, const struct joulie_work *view,
                      int64_t now_ms, const struct joulie_place_columns_out *out)
{
    const struct joulie_place_config *config = &cluster->place_config;
    struct pass pass = { .cluster = cluster };
    struct jl_place_aggregate aggregate;
    struct jl_place_score score;
    bool is_late =
        config->spread == JOULIE_SPREAD_RANK || config->rules == JOULIE_PLACE_RULES_EFFICIENCY;
    jl_cluster_aggregate(cluster, now_ms, &aggregate);
    jl_place_request_init(config, view, &aggregate, now_ms, &pass.request);
    jl_cluster_refresh_ledger(cluster);
    for (size_t i = 0; i < cluster->order.known_count; i++) {
        const enum joulie_reject reject = score_node(&pass, i, &score);
        const struct jl_place_point point = jl_place_point_of(reject, &score);
        jl_place_field_add(&pass.field, &point);
        is_late = is_late || score.basis != JOULIE_BASIS_FRESH;
        put_row(out, i, reject, &score);
        put_int(&out->wire, i, jl_wire_score(score.score, RANGE));
    }
    if (is_late)
        place_late(&pass, out);
}

int joulie_cluster_place(struct joulie_cluster *cluster, const struct joulie_work *work,
                         int64_t now_ms, const char **names,
                         const struct joulie_place_columns_out *out, size_t capacity,
                         size_t *out_count, struct joulie_error *err)
{
    struct joulie_place_columns_out columns = { 0 };
    struct joulie_work view;
    if ((out != NULL && JL_SIZED_READ(&columns, out) < 0) || jl_sized_check(work, sizeof *work) < 0)
        return jl_fail_abi(err, "");
    int rc = jl_cluster_check_now(now_ms, err);
    if (rc == 0)
        rc = jl_place_work_read(work, cluster->place_config.rules, &view, err);
    if (rc == 0)
        rc = jl_place_check_outputs(&columns, capacity, err);
    if (rc < 0)
        return rc;
    if (jl_cluster_refresh_order(cluster) < 0)
        return jl_fail_memory(err);
    const size_t count = cluster->order.known_count;
    if ((names != NULL || out != NULL) && count > capacity)
        return jl_fail(err, JOULIE_E_LIMIT, "capacity", "there are %zu nodes", count);
    for (size_t i = 0; i < count && names != NULL; i++)
        names[i] = cluster->order.known[i]->name;
    if (out != NULL)
        place_all(cluster, &view, now_ms, &columns);
    if (out_count != NULL)
        *out_count = count;
    return 0;
}
