/* SPDX-License-Identifier: Apache-2.0 */

/* A cap on a machine, from opening it to giving it back, with every allocation failing once: the
 * call says so or the report does, the next tick puts it right, and in the end every limit is what
 * it was and everything is released. */

#include <stdio.h>
#include <string.h>

#include <joulie/host.h>

#include "host/tree.h"
#include "oom/allocator.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */
#define TWIN "{\"nodeName\":\"n1\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapWatts\":120}}"
#define LIMIT(zone) ZONES "/intel-rapl:" zone "/constraint_0_power_limit_uw"

static struct tree tree;
static bool is_wrong;
static bool was_reported; /* of the failure of this life */

static void wrong(long n, const char *what)
{
    is_wrong = true;
    printf("FAIL allocation %ld: %s\n", n, what);
}

/* Memory that ran out is reported as such, and only once. */
static bool again(long n, int rc, const char *what)
{
    if (rc == JOULIE_OK)
        return false;
    if (rc != JOULIE_E_NOMEM || !oom_has_failed || was_reported) {
        wrong(n, what);
        return false;
    }
    was_reported = true;
    return true;
}

static uint64_t limit(const char *path)
{
    return jl_root_number(&tree.root, path).value;
}

static bool is_allowed(uint64_t limit_uw)
{
    return limit_uw == 120000000 || limit_uw == 205000000;
}

static struct joulie_host_time at(int second)
{
    return (struct joulie_host_time){
        .struct_size = sizeof(struct joulie_host_time),
        .now_ms = NOW_MS + second * 1000,
        .monotonic_us = (second + 1) * INT64_C(1000000),
        .boottime_us = (second + 1) * INT64_C(1000000),
    };
}

static void tick_and_look(long n, struct joulie_host *host, int second)
{
    const struct joulie_host_time time = at(second);
    while (again(n, joulie_host_tick(host, &time, NULL, NULL), "tick"))
        ;
    const long left = oom_fail_in;
    oom_fail_in = -1;
    if (!is_allowed(limit(LIMIT("0"))) || !is_allowed(limit(LIMIT("1"))))
        wrong(n, "a limit that nobody asked for");
    oom_fail_in = left;
}

static void look(long n, struct joulie_host *host)
{
    char *texts[3] = { 0 };
    while (again(n, joulie_host_report(host, &texts[0], NULL), "report"))
        ;
    struct joulie_node_summary summary = JOULIE_INIT(struct joulie_node_summary);
    while (again(n, joulie_host_get_summary(host, &summary, NULL), "summary"))
        ;
    if (summary.cpu_message == NULL)
        wrong(n, "no summary");
    struct joulie_host_package package = JOULIE_INIT(struct joulie_host_package);
    struct joulie_host_write write = JOULIE_INIT(struct joulie_host_write);
    while (again(n, joulie_host_package_at(host, 0, &package, NULL), "package"))
        ;
    while (again(n, joulie_host_write_at(host, 0, &write, NULL), "write"))
        ;
    while (again(n, joulie_host_outcome(host, &texts[1], NULL), "outcome"))
        ;
    while (again(n, joulie_host_caps(host, &texts[2], NULL), "caps"))
        ;
    if (texts[0] == NULL || strstr(texts[0], "\"result\":\"applied\"") == NULL)
        wrong(n, "the cap is not applied in the end");
    for (size_t i = 0; i < 3; i++)
        joulie_free(texts[i]);
}

/* The texts of a package's writes stay readable, whatever a failed tick has freed since. */
static void read_writes(long n, struct joulie_host *host)
{
    const long left = oom_fail_in;
    struct joulie_host_write write = JOULIE_INIT(struct joulie_host_write);
    oom_fail_in = -1;
    for (size_t i = 0; joulie_host_write_at(host, i, &write, NULL) == JOULIE_OK; i++) {
        if (strncmp(write.key, "rapl/", 5) != 0 || strncmp(write.file, "sys/", 4) != 0)
            wrong(n, "a write has texts of freed memory");
    }
    oom_fail_in = left;
}

/* Package 1 goes away and comes back as zone 2; the scan that is made each hour finds it. */
static void change_zones(long n, struct joulie_host *host)
{
    const int hour = 3600;
    const long left = oom_fail_in;
    oom_fail_in = -1; /* the tree's own */
    tree_remove(&tree, ZONES "/intel-rapl:1");
    tree_package(&tree, ZONES "/intel-rapl:2", "package-1\n");
    oom_fail_in = left;
    for (int second = hour + 4; second < hour + 8; second++) {
        const struct joulie_host_time time = at(second);
        read_writes(n, host);
        while (again(n, joulie_host_tick(host, &time, NULL, NULL), "tick with another zone"))
            read_writes(n, host);
    }
    if (limit(LIMIT("2")) != 120000000)
        wrong(n, "the zone that came back has no cap");
}

static void put_zone_1_back(void)
{
    tree_remove(&tree, ZONES "/intel-rapl:2");
    tree_package(&tree, ZONES "/intel-rapl:1", "package-1\n");
    tree_meter(&tree, ZONES "/intel-rapl:1/intel-rapl:1:0", "dram\n");
}

static void look_closer(long n, struct joulie_host *host)
{
    struct joulie_host_counts counts = JOULIE_INIT(struct joulie_host_counts);
    struct joulie_host_zone zone = JOULIE_INIT(struct joulie_host_zone);
    struct joulie_host_policy policy = JOULIE_INIT(struct joulie_host_policy);
    struct joulie_host_dvfs dvfs = JOULIE_INIT(struct joulie_host_dvfs);
    char *plan = NULL;
    while (again(n, joulie_host_get_counts(host, &counts, NULL), "counts"))
        ;
    while (again(n, joulie_host_zone_at(host, 0, &zone, NULL), "zone"))
        ;
    while (again(n, joulie_host_policy_at(host, 0, &policy, NULL), "policy"))
        ;
    while (again(n, joulie_host_get_dvfs(host, &dvfs, NULL), "dvfs"))
        ;
    while (again(n, joulie_host_plan(host, NOW_MS, &plan, NULL), "plan"))
        ;
    if (counts.writes == 0 || zone.name == NULL || plan == NULL)
        wrong(n, "nothing to see");
    joulie_free(plan);
}

/* The first try may have found no memory to note what it gave back. */
static void give_back(long n, struct joulie_host *host)
{
    if (joulie_host_restore(host, NOW_MS, NULL, NULL) == JOULIE_OK)
        return;
    if (!oom_has_failed)
        wrong(n, "restore");
    oom_fail_in = -1;
    if (joulie_host_restore(host, NOW_MS, NULL, NULL) != JOULIE_OK)
        wrong(n, "restore, the second time");
}

/* Another host, which somebody else writes for, who is not there. */
static void be_kept(long n)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host *host = NULL;
    options.root = tree.path;
    while (again(n, joulie_host_open(&options, &host, NULL), "open"))
        ;
    if (host == NULL)
        return;
    while (again(n, joulie_host_set_keeper(host, -1, NULL), "keeper"))
        ;
    if (joulie_host_beat(host, NULL) != JOULIE_OK ||
        joulie_host_leave(host, NULL) != JOULIE_E_CONFLICT)
        wrong(n, "a keeper that is not there");
    joulie_host_free(host);
}

static void live(long n)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host *host = NULL;
    char *json = NULL;
    options.root = tree.path;
    options.enforces = 1;
    options.has_backed_twin = 1;
    oom_has_failed = was_reported = false;
    oom_fail_in = n;
    while (again(n, joulie_host_open(&options, &host, NULL), "open"))
        ;
    if (host == NULL)
        return;
    while (again(n, joulie_host_hardware(host, "n1", NOW_MS, &json, NULL), "hardware"))
        ;
    while (again(n, joulie_host_claim(host, NOW_MS, NULL), "claim"))
        ;
    while (again(n, joulie_host_put_twin(host, TWIN, strlen(TWIN), NULL), "twin"))
        ;
    joulie_host_heartbeat(host, NOW_MS);
    joulie_host_set_twin_unread(host, 0);
    while (again(n, joulie_host_set_disabled(host, 0, NULL), "disable"))
        ;
    for (int second = 0; second < 4; second++)
        tick_and_look(n, host, second);
    look(n, host);
    change_zones(n, host);
    look_closer(n, host);
    give_back(n, host);
    be_kept(n);
    joulie_free(json);
    joulie_host_free(host);
    oom_fail_in = -1;
    if (limit(LIMIT("0")) != 205000000 || limit(LIMIT("2")) != 205000000)
        wrong(n, "a limit is not given back");
    put_zone_1_back();
}

int main(void)
{
    long n = 0;
    tree_new(&tree);
    tree_intel_2s(&tree);
    live(-1); /* makes the state folder */
    for (; n == 0 || oom_has_failed; n++) {
        const long before = oom_live_blocks;
        live(n);
        if (oom_live_blocks != before)
            wrong(n, "not released");
    }
    printf("oom: a cap's life, %ld failed allocations, %s\n", n - 1,
           is_wrong ? "wrong" : "0 wrong");
    tree_free(&tree);
    return is_wrong || n < 100;
}
