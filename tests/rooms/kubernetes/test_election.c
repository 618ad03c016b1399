/* SPDX-License-Identifier: Apache-2.0 */

/* Leader election over drawn histories: a server with one Lease and versions, participants whose
 * requests are late or lost, who stand still, whose clocks run at rates of their own, who are
 * killed and come back. docs/rules/kubernetes-watch.md#leader-election. */

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "kubernetes/lease.h"
#include "support/test.h"

#define MOST 4
#define TEXT 32
#define STEP_S 0.05

static const struct jl_lease_times usual = { .duration_s = 15, .deadline_s = 10, .period_s = 2 };

struct stored {
    char holder[TEXT];
    int64_t duration_s;
    int64_t transitions;
    char acquired[TEXT];
    char renewed[TEXT];
};

struct server {
    struct stored lease;
    bool has_lease;
    int64_t version;
};

struct request { /* under way; arrives at the server, then back */
    enum jl_election_call call;
    struct stored body;
    int64_t version; /* that it is over */
    double arrives_s;
    double returns_s;
    bool is_lost;        /* on its way there */
    bool is_answer_lost; /* on its way back */
    bool has_arrived;
    int64_t code;
    struct stored answer;
    int64_t answer_version;
};

struct participant {
    struct jl_election election;
    struct request request;
    struct stored kept[2]; /* texts that the election points to, and those of the answer */
    int newest;
    int64_t kept_version;
    char name[TEXT];
    double rate;     /* of its clock against true time */
    double offset_s; /* of its clock */
    double pause_s;  /* stands still until then, true time */
    double dead_s;   /* starts anew then */
    double cut_s;    /* no request arrives until then */
    unsigned lives;
    unsigned stamps;
};

struct history {
    struct server server;
    struct participant all[MOST];
    size_t count;
    struct jl_random random;
    double now_s;
    double led_s;      /* by anybody */
    double longest_s;  /* without a leader */
    double headless_s; /* since */
    int64_t takeovers;
    const char *last;
};

static double own_s(const struct history *h, const struct participant *p)
{
    return p->offset_s + h->now_s * p->rate;
}

static bool leads(const struct history *h, const struct participant *p)
{
    return p->dead_s <= h->now_s && own_s(h, p) < jl_election_until_s(&p->election);
}

/* ---- the server ---- */

static void arrive(struct server *server, struct request *request)
{
    request->has_arrived = true;
    request->code = 404;
    if (request->call == JL_ELECTION_CREATE)
        request->code = server->has_lease ? 409 : 201;
    else if (server->has_lease)
        request->code =
            request->call == JL_ELECTION_READ || request->version == server->version ? 200 : 409;
    if (request->code <= 201 && request->call != JL_ELECTION_READ) {
        server->lease = request->body;
        server->has_lease = true;
        server->version++;
    }
    request->answer = server->lease;
    request->answer_version = server->version;
}

/* ---- a participant ---- */

static void copy(char out[TEXT], const char *text)
{
    snprintf(out, TEXT, "%s", text ? text : "");
}

static struct jl_lease_spec spec_of(const struct stored *lease)
{
    return (struct jl_lease_spec){ .holder = lease->holder,
                                   .duration_s = lease->duration_s,
                                   .transitions = lease->transitions,
                                   .acquired = lease->acquired,
                                   .renewed = lease->renewed };
}

static void send(struct history *h, struct participant *p, const struct jl_election_next *next)
{
    struct request *request = &p->request;
    *request = (struct request){ .call = next->call, .version = p->kept_version };
    if (next->call == JL_ELECTION_NOTHING)
        return;
    copy(request->body.holder, next->spec.holder);
    copy(request->body.acquired, next->spec.acquired);
    copy(request->body.renewed, next->spec.renewed);
    request->body.duration_s = next->spec.duration_s;
    request->body.transitions = next->spec.transitions;
    const bool is_slow = jl_random_unit(&h->random) < 0.1;
    request->arrives_s = h->now_s + jl_random_unit(&h->random) * (is_slow ? 6 : 0.2);
    request->returns_s = request->arrives_s + jl_random_unit(&h->random) * (is_slow ? 6 : 0.2);
    request->is_lost = jl_random_unit(&h->random) < 0.05;
    request->is_answer_lost = jl_random_unit(&h->random) < 0.05;
}

static struct jl_election_now now_of(struct history *h, struct participant *p, char stamp[TEXT])
{
    snprintf(stamp, TEXT, "%.12s-%u", p->name, ++p->stamps);
    return (struct jl_election_now){ own_s(h, p), stamp, jl_random_unit(&h->random) };
}

static void answer(struct history *h, struct participant *p, bool is_timeout)
{
    struct request *request = &p->request;
    const bool is_good = !is_timeout && request->code <= 201;
    char stamp[TEXT];
    const struct jl_election_now now = now_of(h, p, stamp);
    if (is_good) {
        p->newest = 1 - p->newest;
        p->kept[p->newest] = request->answer;
        p->kept_version = request->answer_version;
    }
    const struct jl_lease_spec lease = spec_of(&p->kept[p->newest]);
    const struct jl_election_answer what = { .code = is_timeout ? 0 : request->code,
                                             .lease = is_good ? &lease : NULL };
    const struct jl_election_next next = jl_election_take(&p->election, &what, &now);
    send(h, p, &next);
}

static void start(struct history *h, struct participant *p)
{
    snprintf(p->name, TEXT, "p%d.%u", (int)(p - h->all), ++p->lives);
    p->election = (struct jl_election){ .me = p->name, .times = usual };
    p->request = (struct request){ 0 };
    p->dead_s = 0;
}

static void live(struct history *h, struct participant *p)
{
    struct request *request = &p->request;
    const double timeout_s = 5;
    const bool is_cut = h->now_s < p->cut_s;
    if (p->dead_s > h->now_s || p->pause_s > h->now_s)
        return;
    if (p->dead_s > 0)
        start(h, p);
    if (request->call == JL_ELECTION_NOTHING) {
        char stamp[TEXT];
        if (own_s(h, p) < p->election.next_s)
            return;
        const struct jl_election_now now = now_of(h, p, stamp);
        const struct jl_election_next next = jl_election_wake(&p->election, &now);
        send(h, p, &next);
    } else if (request->has_arrived && !request->is_answer_lost && !is_cut &&
               request->returns_s <= h->now_s) {
        answer(h, p, false);
    } else if (own_s(h, p) >= p->election.began_s + timeout_s) {
        answer(h, p, true);
    }
}

/* What was sent before its sender was stopped arrives all the same. */
static void carry(struct history *h, struct participant *p)
{
    struct request *request = &p->request;
    if (request->call != JL_ELECTION_NOTHING && !request->is_lost && !request->has_arrived &&
        request->arrives_s <= h->now_s && p->cut_s <= h->now_s)
        arrive(&h->server, request);
}

static void disturb(struct history *h)
{
    struct participant *p = &h->all[jl_random_int(&h->random, 0, (int64_t)h->count - 1)];
    const double what = jl_random_unit(&h->random);
    const double for_s = jl_random_unit(&h->random) * 40;
    if (what < 0.3)
        p->pause_s = h->now_s + for_s;
    else if (what < 0.5)
        p->dead_s = h->now_s + for_s;
    else if (what < 0.7)
        p->cut_s = h->now_s + for_s;
    else if (what < 0.8 && h->server.has_lease)
        h->server.version++; /* somebody wrote a label */
    else if (what < 0.9)
        jl_election_release(&p->election);
}

static void judge(struct history *h)
{
    const struct participant *leader = NULL;
    for (size_t i = 0; i < h->count; i++) {
        if (!leads(h, &h->all[i]))
            continue;
        assert_null(leader);
        leader = &h->all[i];
    }
    if (!leader) {
        h->headless_s += STEP_S;
        h->longest_s = h->headless_s > h->longest_s ? h->headless_s : h->longest_s;
        return;
    }
    h->takeovers += !h->last || strcmp(h->last, leader->name) != 0;
    h->last = leader->name;
    h->headless_s = 0;
    h->led_s += STEP_S;
}

static struct history new_history(uint64_t seed, size_t count)
{
    struct history h = { .random = { seed }, .count = count };
    for (size_t i = 0; i < count; i++) {
        h.all[i].rate = 1 + 0.15 * (2 * jl_random_unit(&h.random) - 1);
        h.all[i].offset_s = 1000 * jl_random_unit(&h.random);
        h.all[i].dead_s = 1e-9;
    }
    return h;
}

static void play(struct history *h, double until_s, double disturbances_per_s)
{
    for (; h->now_s < until_s; h->now_s += STEP_S) {
        if (jl_random_unit(&h->random) < disturbances_per_s * STEP_S)
            disturb(h);
        for (size_t i = 0; i < h->count; i++)
            carry(h, &h->all[i]);
        for (size_t i = 0; i < h->count; i++) {
            struct participant *p = &h->all[i];
            live(h, p);
            if (p->election.is_over && p->dead_s <= h->now_s)
                p->dead_s = h->now_s + 5 * jl_random_unit(&h->random); /* its process ended */
        }
        judge(h);
    }
}

static void two_never_lead(void **state)
{
    int64_t takeovers = 0;
    double led_s = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct history h = new_history(seed, 2 + seed % (MOST - 1));
        play(&h, 600, 0.1);
        takeovers += h.takeovers;
        led_s += h.led_s;
    }
    assert_true(takeovers > 1000); /* else nothing was tried */
    assert_true(led_s > 200 * 600 * 0.4);
}

static void without_trouble_the_first_one_leads_for_ever(void **state)
{
    struct history h = new_history(7, 3);
    (void)state;
    for (size_t i = 0; i < h.count; i++)
        h.all[i].rate = 1;
    play(&h, 5, 0);
    const int64_t before = h.takeovers;
    assert_true(before >= 1);
    play(&h, 600, 0);
    assert_int_equal(h.server.lease.transitions, h.takeovers - 1);
    assert_true(h.led_s > 550); /* single lost requests do not end it */
}

/* ---- one participant, requests answered by hand ---- */

static struct jl_election_next wake(struct jl_election *e, double s)
{
    return jl_election_wake(e, &(struct jl_election_now){ s, "now", 0 });
}

static struct jl_election_next take(struct jl_election *e, double s, int64_t code,
                                    const struct jl_lease_spec *lease)
{
    const struct jl_election_answer what = { code, lease };
    return jl_election_take(e, &what, &(struct jl_election_now){ s, "now", 0 });
}

static struct jl_election leader(double at_s)
{
    static const struct jl_lease_spec mine = {
        .holder = "me", .duration_s = 15, .acquired = "then", .renewed = "then"
    };
    struct jl_election e = { .me = "me", .times = usual };
    assert_int_equal(wake(&e, at_s).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, at_s, 404, NULL).call, JL_ELECTION_CREATE);
    assert_int_equal(take(&e, at_s + 0.5, 201, &mine).call, JL_ELECTION_NOTHING);
    assert_near(jl_election_until_s(&e), at_s + 10, 0); /* from when it was sent */
    return e;
}

static void a_leader_without_a_server_tries_until_its_deadline(void **state)
{
    static const double tries_s[] = { 102, 104, 106, 107, 108, 109, 110 };
    struct jl_election e = leader(100);
    (void)state;
    e.next_s = 102;
    for (size_t i = 0; i < JL_COUNT(tries_s); i++) {
        assert_near(e.next_s, tries_s[i], 1e-9);
        const bool is_last = i + 1 == JL_COUNT(tries_s);
        assert_int_equal(e.is_leader, true);
        assert_int_equal(wake(&e, e.next_s).call, JL_ELECTION_WRITE);
        assert_int_equal(e.is_leader, !is_last);
        assert_int_equal(take(&e, e.began_s, 0, NULL).call, JL_ELECTION_READ);
        assert_int_equal(take(&e, e.began_s, 0, NULL).call, JL_ELECTION_NOTHING);
    }
}

static void a_leader_stops_as_soon_as_it_reads_of_another(void **state)
{
    static const struct jl_lease_spec other = { .holder = "b", .duration_s = 15 };
    struct jl_election e = leader(100);
    (void)state;
    assert_int_equal(wake(&e, 102).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 102, 409, NULL).call, JL_ELECTION_READ);
    assert_true(e.is_leader);
    assert_int_equal(take(&e, 102, 200, &other).call, JL_ELECTION_NOTHING);
    assert_false(e.is_leader);
    assert_true(jl_election_until_s(&e) < 102);
}

static void a_lease_that_is_gone_is_made_again_by_its_holder_only(void **state)
{
    static const struct jl_lease_spec other = { .holder = "b", .duration_s = 15 };
    struct jl_election e = leader(100);
    struct jl_election follower = { .me = "f", .times = usual };
    (void)state;
    assert_int_equal(wake(&e, 102).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 102, 404, NULL).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 102, 404, NULL).call, JL_ELECTION_CREATE);
    /* somebody was quicker: it is known at once */
    assert_int_equal(take(&e, 102, 409, NULL).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 102, 200, &other).call, JL_ELECTION_NOTHING);
    assert_false(e.is_leader);

    assert_int_equal(wake(&follower, 50).call, JL_ELECTION_READ);
    assert_int_equal(take(&follower, 50, 200, &other).call, JL_ELECTION_NOTHING);
    assert_int_equal(wake(&follower, 60).call, JL_ELECTION_READ);
    assert_int_equal(take(&follower, 60, 404, NULL).call, JL_ELECTION_NOTHING);
    assert_int_equal(wake(&follower, 65).call, JL_ELECTION_READ);
    assert_int_equal(take(&follower, 65, 404, NULL).call, JL_ELECTION_CREATE);
}

static void a_server_that_refuses_each_write_is_asked_once_in_a_try(void **state)
{
    static const struct jl_lease_spec nobody = { .holder = "", .duration_s = 1 };
    struct jl_election e = { .me = "me", .times = usual };
    (void)state;
    assert_int_equal(wake(&e, 0).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 0, 200, &nobody).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 0, 403, NULL).call, JL_ELECTION_NOTHING);
    assert_near(e.next_s, 2, 0);
    assert_int_equal(wake(&e, 2).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 2, 200, &nobody).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 2, 409, NULL).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 2, 200, &nobody).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 2, 409, NULL).call, JL_ELECTION_NOTHING);
}

static void what_is_given_back_is_read_before(void **state)
{
    static const struct jl_lease_spec nobody = { .holder = "", .duration_s = 1 };
    struct jl_lease_spec mine = { .holder = "me", .duration_s = 15, .transitions = 4 };
    struct jl_election e = leader(100);
    (void)state;
    jl_election_release(&e);
    assert_int_equal(wake(&e, 101).call, JL_ELECTION_READ);
    const struct jl_election_next next = take(&e, 101, 200, &mine);
    assert_int_equal(next.call, JL_ELECTION_WRITE);
    assert_string_equal(next.spec.holder, "");
    assert_int_equal(next.spec.duration_s, 1);
    assert_int_equal(next.spec.transitions, 4);
    assert_int_equal(take(&e, 101, 200, &nobody).call, JL_ELECTION_NOTHING);
    assert_true(e.is_over);
    assert_false(e.is_leader);
    assert_int_equal(wake(&e, 200).call, JL_ELECTION_NOTHING);
}

static void a_renewal_under_way_does_not_take_back_what_is_given_back(void **state)
{
    static const struct jl_lease_spec mine = { .holder = "me", .duration_s = 15 };
    static const struct jl_lease_spec nobody = { .holder = "", .duration_s = 1 };
    struct jl_election e = leader(100);
    (void)state;
    assert_int_equal(wake(&e, 102).call, JL_ELECTION_WRITE);
    jl_election_release(&e);
    assert_int_equal(wake(&e, 102).call, JL_ELECTION_NOTHING); /* one at a time */
    assert_int_equal(take(&e, 102, 200, &mine).call, JL_ELECTION_READ);
    assert_int_equal(take(&e, 102, 200, &mine).call, JL_ELECTION_WRITE);
    assert_int_equal(take(&e, 102, 200, &nobody).call, JL_ELECTION_NOTHING);
    assert_true(e.is_over);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_never_lead),
        cmocka_unit_test(without_trouble_the_first_one_leads_for_ever),
        cmocka_unit_test(a_leader_without_a_server_tries_until_its_deadline),
        cmocka_unit_test(a_leader_stops_as_soon_as_it_reads_of_another),
        cmocka_unit_test(a_lease_that_is_gone_is_made_again_by_its_holder_only),
        cmocka_unit_test(a_server_that_refuses_each_write_is_asked_once_in_a_try),
        cmocka_unit_test(what_is_given_back_is_read_before),
        cmocka_unit_test(a_renewal_under_way_does_not_take_back_what_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
