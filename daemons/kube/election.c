/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/* Carries out an election (docs/rules/programs.md#leader-election). Time is CLOCK_BOOTTIME. Opened
 * by operator.c. */

#include "kube/election.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/time.h"
#include "kube/client_parts.h"
#include "kube/lease.h"
#include "runtime/json.h"
#include "runtime/machine_clock.h"

#define COMPONENT "election"
#define HOST_BYTES 256
#define ID_BYTES 16
#define MS_PER_S 1000.0
#define US_PER_MS 1000
#define ASK_MS 5000 /* of one request at most, unless the deadline is shorter */

static const struct jd_family leader_family = {
    .name = "joulie_leader",
    .help = "1 = this process leads and writes, 0 = it stands by.",
    .type = JD_GAUGE,
    .labels = { "component" },
};

int jd_election_check(const struct jl_lease_times *times, struct joulie_error *err)
{
    switch (jl_lease_check(times)) {
    case JL_LEASE_BAD_DURATION:
        return jl_fail(err, JOULIE_E_RANGE, "LEASE_DURATION",
                       "in whole seconds it has to be above LEASE_RENEW_DEADLINE");
    case JL_LEASE_BAD_DEADLINE:
        return jl_fail(err, JOULIE_E_RANGE, "LEASE_RENEW_DEADLINE",
                       "it has to be above 1.2 times LEASE_RETRY_PERIOD");
    case JL_LEASE_BAD_PERIOD:
        return jl_fail(err, JOULIE_E_RANGE, "LEASE_RETRY_PERIOD", "it has to be at least 1s");
    case JL_LEASE_SOUND:
        break;
    }
    return 0;
}

/* ---- time ---- */

static double now_s(void)
{
    return (double)jd_clock_boot_ms() / MS_PER_S;
}

/* By the loop's clock, which stands still while the machine sleeps. */
static void set_timer(struct jd_election *e, struct jd_timer *timer, double at_s)
{
    const double left_s = at_s - now_s();
    jd_timer_set(jd_kube_loop(e->options.kube), timer,
                 jd_clock_ms() + (left_s > 0 ? (int64_t)(left_s * MS_PER_S) + 1 : 0));
}

/* Another stamp than the last one: a Lease that does not change is one of somebody who is gone. */
static struct jl_election_now now_of(struct jd_election *e, char stamp[JL_TIME_TEXT])
{
    const int64_t us = jd_clock_wall_ms() * US_PER_MS;
    e->stamp_us = us == e->stamp_us ? us + 1 : us;
    jl_format_time_us(e->stamp_us, stamp);
    return (struct jl_election_now){ now_s(), stamp, jd_kube_chance(e->options.kube) };
}

/* ---- what is reported ---- */

bool jd_election_leads(const struct jd_election *e)
{
    return e->is_open && now_s() < jl_election_until_s(&e->election);
}

const char *jd_election_holder(const struct jd_election *e)
{
    const char *holder = e->election.seen.is_any ? e->election.seen.spec.holder : NULL;
    return holder ? holder : "";
}

static void log_holder(struct jd_election *e)
{
    const char *holder = jd_election_holder(e);
    const char *logged = e->holder.len > 0 ? e->holder.data : "";
    if (jl_is_empty(holder) || jl_same(holder, logged))
        return;
    jl_buffer_reset(&e->holder);
    jl_put_string(&e->holder, holder);
    if (!jl_same(holder, e->election.me))
        jd_log(e->options.log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "%s leads: standing by", holder);
}

static void log_change(const struct jd_election *e)
{
    if (e->is_leader)
        jd_log(e->options.log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "leading as %s", e->election.me);
    else
        jd_log(e->options.log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
               "leading no more: nothing is written");
}

/* The fence goes with each renewal, and falls with the first doubt. */
static void report(struct jd_election *e)
{
    const double until_s = jl_election_until_s(&e->election);
    const bool is_leader = jd_election_leads(e);
    e->options.fence->until_ms = is_leader ? (int64_t)(until_s * MS_PER_S) : 0;
    if (is_leader)
        set_timer(e, &e->deadline, until_s);
    jd_metric_set(e->options.metrics, &leader_family, JD_LABELS(e->options.component), is_leader);
    log_holder(e);
    if (is_leader == e->is_leader)
        return;
    e->is_leader = is_leader;
    log_change(e);
    e->options.on_change(e->options.user, is_leader);
    if (!is_leader)
        jd_kube_end_writes(e->options.kube);
}

/* ---- what goes wrong ---- */

const char *jd_election_problem(const struct jd_election *e)
{
    const struct jd_answer last = { .code = e->problem_code };
    return e->problem.len > 0 && jd_answer_is_refusal(&last) ? e->problem.data : NULL;
}

static void note_failure(struct jd_election *e, enum jl_election_call call,
                         const struct jd_answer *answer)
{
    if (answer && (jd_answer_is_good(answer) || answer->code == 409 ||
                   (answer->code == 404 && call != JL_ELECTION_CREATE)))
        return;
    e->failed_code = answer ? answer->code : 0;
    jl_buffer_reset(&e->failure);
    jd_put_format(&e->failure, "the Lease %s/%s cannot be %s: ", e->options.name_space,
                  e->options.name, call == JL_ELECTION_READ ? "read" : "written");
    if (e->failed_code > 0)
        jd_put_format(&e->failure, "%d ", e->failed_code);
    jl_put_string(&e->failure, answer ? answer->message : "memory ran out");
}

/* The end of a try. */
static void report_failure(struct jd_election *e)
{
    const bool was_bad = e->problem.len > 0;
    if (e->failed_code < 0 || e->failure.is_failed) {
        jl_buffer_reset(&e->problem);
        if (was_bad)
            jd_log(e->options.log, JOULIE_LOG_LEVEL_INFO, COMPONENT,
                   "the Lease %s/%s can be used again", e->options.name_space, e->options.name);
        return;
    }
    const bool is_news = !was_bad || e->problem_code != e->failed_code;
    jl_buffer_reset(&e->problem);
    jl_put(&e->problem, e->failure.data, e->failure.len);
    e->problem_code = e->failed_code;
    if (is_news)
        jd_log_line(e->options.log, JOULIE_LOG_LEVEL_WARN, COMPONENT, e->failure.data);
}

/* ---- requests ---- */

static void perform(struct jd_election *e, const struct jl_election_next *next);

static void begin(struct jd_election *e)
{
    char stamp[JL_TIME_TEXT];
    const struct jl_election_now now = now_of(e, stamp);
    if (e->election.call != JL_ELECTION_NOTHING || e->election.is_over)
        return;
    e->failed_code = -1;
    const struct jl_election_next next = jl_election_wake(&e->election, &now);
    perform(e, &next);
}

static int64_t integer(struct json_object *lease, const char *path)
{
    return json_object_get_int64(jd_json_at(lease, path));
}

static struct jl_lease_spec spec_of(struct json_object *lease)
{
    return (struct jl_lease_spec){ .holder = jd_json_text(lease, "spec.holderIdentity"),
                                   .duration_s = integer(lease, "spec.leaseDurationSeconds"),
                                   .transitions = integer(lease, "spec.leaseTransitions"),
                                   .acquired = jd_json_text(lease, "spec.acquireTime"),
                                   .renewed = jd_json_text(lease, "spec.renewTime") };
}

/* The tree that was kept stays until the election has the new one. */
static void take(struct jd_election *e, const struct jd_answer *answer)
{
    char stamp[JL_TIME_TEXT];
    const struct jl_election_now now = now_of(e, stamp);
    const bool is_good = answer && jd_answer_is_good(answer);
    JL_CLEANUP(jd_json_freep) struct json_object *old = NULL;
    struct json_object *lease = is_good ? jd_json_parse(answer->body, answer->len) : NULL;
    const struct jl_lease_spec spec = spec_of(lease);
    note_failure(e, e->election.call, answer);
    const struct jl_election_answer what = { .code = answer ? answer->code : 0,
                                             .lease = lease ? &spec : NULL };
    const struct jl_election_next next = jl_election_take(&e->election, &what, &now);
    if (lease) {
        old = e->lease;
        e->lease = lease;
    }
    perform(e, &next);
}

static void on_answer(void *user, const struct jd_answer *answer)
{
    take(user, answer);
}

static const char *method_of(enum jl_election_call call)
{
    return call == JL_ELECTION_READ ? "GET" : call == JL_ELECTION_CREATE ? "POST" : "PATCH";
}

static void put_body(const struct jd_election *e, const struct jl_election_next *next,
                     struct jl_buffer *out)
{
    if (next->call == JL_ELECTION_CREATE)
        jd_put_new_lease(out, e->options.name_space, e->options.name, &next->spec);
    else if (next->call == JL_ELECTION_WRITE)
        jd_put_lease_patch(out, jd_json_word(e->lease, "metadata.resourceVersion"), &next->spec);
}

static int64_t patience_ms(const struct jl_lease_times *times)
{
    const double half_s = times->deadline_s / 2;
    const double s = half_s > times->period_s ? half_s : times->period_s;
    return (int64_t)(s * MS_PER_S) < ASK_MS ? (int64_t)(s * MS_PER_S) : ASK_MS;
}

static int ask(struct jd_election *e, const struct jl_election_next *next)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer body = { 0 };
    put_body(e, next, &body);
    const bool is_write = next->call == JL_ELECTION_WRITE;
    const struct jd_kube_call call = {
        .method = method_of(next->call),
        .resource = &jd_leases,
        .name_space = e->options.name_space,
        .name = next->call == JL_ELECTION_CREATE ? NULL : e->options.name,
        .patch = is_write ? JD_PATCH_MERGE : JD_PATCH_NONE,
        .body = body.len > 0 ? body.data : NULL,
        .len = body.len,
        .priority = JD_PRIORITY_LEASE,
        .is_exempt = true,
        .is_unfenced = true,
        .deadline_ms = patience_ms(&e->options.times),
        .most_attempts = 1,
        .on_done = on_answer,
        .user = e,
    };
    return body.is_failed ? JOULIE_E_NOMEM : jd_kube_start(e->options.kube, &call, NULL);
}

/* What a try comes to is reported before the next request is made, so that nobody writes meanwhile.
 */
static void perform(struct jd_election *e, const struct jl_election_next *next)
{
    report(e);
    if (next->call != JL_ELECTION_NOTHING) {
        if (ask(e, next) < 0)
            take(e, NULL);
        return;
    }
    report_failure(e);
    if (e->election.is_over)
        e->options.on_over(e->options.user);
    else
        set_timer(e, &e->wake, e->election.next_s);
}

static void on_wake(void *user)
{
    struct jd_election *e = user;
    jd_timer_set(jd_kube_loop(e->options.kube), &e->wake, JD_NEVER_MS);
    begin(e);
}

static void on_deadline(void *user)
{
    struct jd_election *e = user;
    jd_timer_set(jd_kube_loop(e->options.kube), &e->deadline, JD_NEVER_MS);
    report(e);
}

void jd_election_heard(struct jd_election *e, const char *holder)
{
    const char *known = jd_election_holder(e);
    if (!e->is_open || (holder && jl_same(holder, known)) || (!holder && !e->election.seen.is_any))
        return;
    begin(e);
}

void jd_election_check_object(struct jd_election *e, const char *text, size_t len)
{
    const char *name = e->options.name;
    if (!e->is_open || !memmem(text, len, name, strlen(name)))
        return; /* of an agent: most are not parsed a second time */
    JL_CLEANUP(jd_json_freep) struct json_object *lease = jd_json_parse(text, len);
    if (jl_same(jd_json_word(lease, "metadata.name"), name) &&
        jl_same(jd_json_word(lease, "metadata.namespace"), e->options.name_space))
        jd_election_heard(e, jd_json_word(lease, "spec.holderIdentity"));
}

bool jd_election_release(struct jd_election *e)
{
    const bool is_mine = e->is_open && (jl_same(jd_election_holder(e), e->election.me) ||
                                        e->election.call != JL_ELECTION_NOTHING);
    if (!is_mine || e->election.is_over)
        return false;
    jl_election_release(&e->election);
    report(e);
    begin(e);
    return true;
}

/* ---- opening and closing ---- */

/* HOST_UUID: a process is never taken for the one before it. */
static int make_identity(struct jl_buffer *out, struct joulie_error *err)
{
    char host[HOST_BYTES] = "";
    unsigned char id[ID_BYTES];
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        jl_put_string(out, "joulie");
    else
        jl_put_string(out, host);
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return jl_fail(err, JOULIE_E_IO, "", "no random bytes: errno %d", errno);
    for (size_t i = 0; i < ID_BYTES; i++)
        jd_put_format(out, "%s%02x",
                      i == 0                                  ? "_"
                      : i == 4 || i == 6 || i == 8 || i == 10 ? "-"
                                                              : "",
                      id[i]);
    return out->is_failed ? jl_fail_memory(err) : 0;
}

int jd_election_open(struct jd_election *e, const struct jd_election_options *options,
                     struct joulie_error *err)
{
    struct jd_loop *loop = jd_kube_loop(options->kube);
    e->options = *options;
    const int rc = make_identity(&e->me, err);
    if (rc < 0)
        return rc;
    e->election = (struct jl_election){ .me = e->me.data, .times = options->times };
    e->wake = (struct jd_timer){ .fire = on_wake, .user = e };
    e->deadline = (struct jd_timer){ .fire = on_deadline, .user = e };
    e->failed_code = -1;
    e->options.fence->until_ms = 0;
    e->is_open = true;
    if (jd_timer_set(loop, &e->deadline, JD_NEVER_MS) < 0 ||
        jd_timer_set(loop, &e->wake, jd_clock_ms()) < 0)
        return jl_fail_memory(err);
    return 0;
}

void jd_election_close(struct jd_election *e)
{
    if (e->is_open) {
        jd_kube_cancel(e->options.kube, e);
        jd_timer_stop(jd_kube_loop(e->options.kube), &e->wake);
        jd_timer_stop(jd_kube_loop(e->options.kube), &e->deadline);
    }
    jd_json_freep(&e->lease);
    jl_buffer_clear(&e->me);
    jl_buffer_clear(&e->failure);
    jl_buffer_clear(&e->problem);
    jl_buffer_clear(&e->holder);
    *e = (struct jd_election){ 0 };
}
