/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Reads an inventory into machines and their hardware models (docs/rules/simulation.md#inventory,
 * #hardware-model). Called by sim.c.
 */

#include "sim/inventory.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"
#include "kinds/effective.h"
#include "kubernetes/names.h"
#include "schema/decode.h"
#include "schema/document.h"

#define MOST_NODES 1000000
#define DEFAULT_SOCKETS 2
#define DEFAULT_CORES 16
#define DEFAULT_GIB_PER_CORE 4 /* the inventory's format gives no default */
/* Assumptions: no public figures of current servers were found. */
#define DEFAULT_STANDBY_W 50
#define DEFAULT_STOP_S 30
#define MOST_STANDBY_W 100000
#define MOST_SWITCH_S 86400
#define GIB (INT64_C(1) << 30)
#define MOST_GIB 1048576

enum vendor { VENDOR_UNKNOWN, VENDOR_NVIDIA, VENDOR_AMD, VENDOR_NONE };

static const struct jl_words vendors = JL_WORDS({
    { VENDOR_NVIDIA, "nvidia" },
    { VENDOR_AMD, "amd" },
    { VENDOR_NONE, "none" },
    { VENDOR_NONE, "" },
});

#define RECORD entry
#define MEMBERS                                                                                \
    STRING(prefix, "node_name_prefix", "Replica i is named PREFIX-i.")                         \
    STRING(name, "node_name", "Name of a single node.")                                        \
    INTEGER(replicas, "replicas", "Nodes like this.", BETWEEN(0, MOST_NODES))                  \
    ENUM(vendor, "vendor", vendor, vendors, "Vendor of the GPUs.")                             \
    STRING(product, "product", "GPU model.")                                                   \
    STRING(cpu, "cpu", "CPU model.")                                                           \
    INTEGER(sockets, "cpu_sockets", "CPU packages; default 2.", BETWEEN(1, 64))                \
    INTEGER(cores, "cpu_cores", "Cores; default 16.", BETWEEN(1, 65536))                       \
    NUMBER(memory_gib, "memory_gib", "Memory, GiB; default 4 per core.", BETWEEN(0, MOST_GIB)) \
    INTEGER(gpus, "gpu_count", "GPUs; default 0.", BETWEEN(0, 1024))                           \
    NUMBER(gpu_min_cap_w, "gpu_min_cap_watts", "Not used; the catalog decides.")               \
    NUMBER(gpu_max_cap_w, "gpu_max_cap_watts", "Not used; the catalog decides.")               \
    NUMBER(cpu_speed, "cpu_relative_speed", "Speed of a core; default the catalog's, else 1.", \
           OVER(0))                                                                            \
    NUMBER(gpu_speed, "gpu_relative_speed", "Speed of a GPU; default the catalog's, else 1.",  \
           OVER(0))                                                                            \
    OBJECT_BY(physics, "physics", jl_physics_profile, jl_physics_settings_table,               \
              "What of the hardware is known better than by the catalog.")                     \
    NUMBER(standby_w, "standby_w", "Power of a node that is off, W; default 50.",              \
           BETWEEN(0, MOST_STANDBY_W))                                                         \
    NUMBER(boot_s, "boot_s", "Time to boot, s; default 300.", BETWEEN(0, MOST_SWITCH_S))       \
    NUMBER(stop_s, "stop_s", "Time to stop, s; default 30.", BETWEEN(0, MOST_SWITCH_S))        \
    MAP(labels, "labels", "More labels of the nodes.", SCALARS)                                \
    HOLDS(int64_t, original) /* replicas before scaling */
#include "schema/record.h"

#define RECORD document
#define MEMBERS LIST(nodes, "nodes", entry, "The nodes.", REQUIRED)
#include "schema/record.h"

static int fail_entry(struct jl_decode *decode, size_t index, const char *member, int code,
                      const char *message)
{
    const struct jl_path list = { .key = jl_text("nodes") };
    const struct jl_path item = { .up = &list, .index = index };
    const struct jl_path at = { .up = &item, .key = jl_text(member) };
    return jl_decode_fail(decode, code, &at, SIZE_MAX, "%s", message);
}

static int64_t replicas_of(const struct entry *entry)
{
    return entry->given.replicas ? entry->replicas : 1;
}

/* Rules about several members, which the table cannot say. */
static int check_entry(struct jl_decode *decode, size_t index, const struct entry *entry)
{
    const bool has_prefix = entry->given.prefix;
    const bool has_name = entry->given.name;
    if (!has_prefix && !has_name)
        return fail_entry(decode, index, "node_name_prefix", JOULIE_E_REQUIRED,
                          "a node needs a name or a prefix");
    if (has_prefix && has_name)
        return fail_entry(decode, index, "node_name", JOULIE_E_CONFLICT,
                          "a name and a prefix are both given");
    if (has_name && replicas_of(entry) > 1)
        return fail_entry(decode, index, "replicas", JOULIE_E_CONFLICT,
                          "replicas need node_name_prefix");
    if (!jl_is_dns_subdomain(jl_text(has_name ? entry->name : entry->prefix)))
        return fail_entry(decode, index, has_name ? "node_name" : "node_name_prefix",
                          JOULIE_E_PARSE, "not a name that a node can have");
    const bool has_vendor = entry->vendor == VENDOR_NVIDIA || entry->vendor == VENDOR_AMD;
    if (entry->gpus > 0 && !has_vendor && !jl_catalog_gpu(entry->product))
        return fail_entry(decode, index, "vendor", JOULIE_E_REQUIRED,
                          "GPUs that the catalog does not know need a vendor");
    return 0;
}

/* What the entry itself says is not said twice. */
static const char *repeated(const struct entry *entry)
{
    const struct jl_physics_profile *physics = &entry->physics;

    const struct {
        bool is_given;
        const char *member;
    } members[] = {
        { physics->given.sockets, "physics.cpuSockets" },
        { physics->given.relative_speed, "physics.relativeSpeed" },
        { physics->gpu.given.count, "physics.gpu.count" },
        { physics->gpu.given.vendor, "physics.gpu.vendor" },
        { physics->gpu.given.product, "physics.gpu.product" },
        { physics->gpu.given.relative_speed, "physics.gpu.relativeSpeed" },
    };

    for (size_t i = 0; i < JL_COUNT(members); i++) {
        if (members[i].is_given)
            return members[i].member;
    }
    return NULL;
}

/* After the catalog has added what it knows. */
static int check_physics(struct jl_decode *decode, size_t index, const struct entry *entry,
                         const struct jl_sim_family *family)
{
    const char *member = repeated(entry);
    if (!entry->given.physics)
        return 0;
    if (member)
        return fail_entry(decode, index, member, JOULIE_E_CONFLICT,
                          "the entry has a member of its own for it");
    const char *problem = jl_physics_problem(&family->profile);
    if (!problem)
        return 0;
    const char *where = JL_JOIN(decode->arena, "physics.", problem);
    return where ? fail_entry(decode, index, where, JOULIE_E_RANGE, "not within its bounds")
                 : jl_fail_memory(decode->err);
}

/* A model text as a label value: the catalog reads it back as the same model. */
static const char *label_value(struct jl_arena *arena, const char *text)
{
    char *value = jl_arena_string(arena, text);
    size_t len = 0;
    for (const char *p = text; value && *p; p++) {
        if (strncmp(p, "(R)", 3) == 0 || strncmp(p, "(r)", 3) == 0) {
            p += 2;
            continue;
        }
        const char letter = jl_lower(*p);
        const bool is_plain = (letter >= 'a' && letter <= 'z') || jl_is_digit(*p);
        if (is_plain || ((*p == '.' || *p == '_') && len > 0))
            value[len++] = *p;
        else if (len > 0 && value[len - 1] != '-')
            value[len++] = '-';
    }
    len = len < 63 ? len : 63;
    while (len > 0 && (value[len - 1] == '-' || value[len - 1] == '.' || value[len - 1] == '_'))
        len--;
    if (value)
        value[len] = '\0';
    return value;
}

const char *jl_sim_number_text(struct jl_arena *arena, int64_t value, const char *unit)
{
    char text[JL_DOUBLE_TEXT];
    jl_format_i64(value, text);
    return JL_JOIN(arena, text, unit);
}

#define MOST_OWN_LABELS 12

struct label_list { /* whether memory ran out for a text is asked of the arena, at the end */
    struct jl_pair *pairs;
    size_t count;
};

static void add_label(struct label_list *list, const char *key, const char *value)
{
    list->pairs[list->count++] = (struct jl_pair){ key, value };
}

static void add_gpu_labels(struct label_list *list, const struct jl_sim_family *family,
                           struct jl_arena *arena)
{
    const bool is_amd = jl_same(family->gpu_vendor, "amd");
    add_label(list, "joulie.io/hw.gpu-count", jl_sim_number_text(arena, family->gpus, ""));
    add_label(list,
              is_amd ? "feature.node.kubernetes.io/pci-1002.present"
                     : "feature.node.kubernetes.io/pci-10de.present",
              "true");
    if (!family->gpu_text)
        return;
    const char *product = label_value(arena, family->gpu_text);
    add_label(list, "joulie.io/hw.gpu-model", product);
    add_label(list, "joulie.io/gpu.product", product);
    add_label(list, is_amd ? "amd.com/gpu.product" : "nvidia.com/gpu.product", product);
}

static int build_labels(struct jl_arena *arena, const struct jl_map *extra,
                        struct jl_sim_family *family)
{
    struct label_list list = { .pairs = JL_NEW_ARRAY(arena, MOST_OWN_LABELS + extra->count,
                                                     struct jl_pair) };
    if (!list.pairs)
        return JOULIE_E_NOMEM;
    add_label(&list, JL_LABEL_MANAGED, "true");
    if (family->cpu_text)
        add_label(&list, "joulie.io/hw.cpu-model", label_value(arena, family->cpu_text));
    add_label(&list, "joulie.io/hw.cpu-sockets", jl_sim_number_text(arena, family->sockets, ""));
    add_label(&list, "joulie.io/hw.cpu-cores", jl_sim_number_text(arena, family->cores, ""));
    if (family->gpus > 0)
        add_gpu_labels(&list, family, arena);
    for (size_t i = 0; i < extra->count; i++) {
        const struct jl_map own = { list.pairs, list.count };
        if (!jl_map_get(&own, extra->items[i].key) &&
            !jl_same(extra->items[i].key, JL_SIM_HOST_NAME_LABEL))
            add_label(&list, jl_arena_string(arena, extra->items[i].key),
                      jl_arena_string(arena, extra->items[i].value));
    }
    family->labels = (struct jl_map){ list.pairs, list.count };
    return arena->is_failed ? JOULIE_E_NOMEM : 0;
}

/* The vendor is the entry's, else that of the catalog's model. */
static int build_family(struct jl_arena *arena, const struct entry *entry,
                        enum jl_physics_rules rules, struct jl_sim_family *out)
{
    const bool has_gpus = entry->gpus > 0;
    const bool has_cpu_text = !jl_is_empty(entry->cpu);
    const bool has_gpu_text = has_gpus && !jl_is_empty(entry->product);
    out->cpu_text = has_cpu_text ? jl_arena_string(arena, entry->cpu) : NULL;
    out->gpu_text = has_gpu_text ? jl_arena_string(arena, entry->product) : NULL;
    if ((has_cpu_text && out->cpu_text == NULL) || (has_gpu_text && out->gpu_text == NULL))
        return JOULIE_E_NOMEM;
    out->cpu_model = jl_catalog_cpu(out->cpu_text);
    out->gpu_model = jl_catalog_gpu(out->gpu_text);
    if (rules == JL_PHYSICS_V0_1_1) {
        out->cpu_model = jl_catalog_cpu_of_source(out->cpu_model);
        out->gpu_model = jl_catalog_gpu_of_source(out->gpu_model);
    }
    out->sockets = entry->given.sockets ? entry->sockets : DEFAULT_SOCKETS;
    out->cores = entry->given.cores ? entry->cores : DEFAULT_CORES;
    out->gpus = entry->gpus;
    out->memory_bytes = entry->given.memory_gib ? (int64_t)(entry->memory_gib * (double)GIB)
                                                : out->cores * DEFAULT_GIB_PER_CORE * GIB;
    out->standby_w = JL_GIVEN_OR(entry, standby_w, DEFAULT_STANDBY_W);
    out->boot_s = JL_GIVEN_OR(entry, boot_s, JL_SIM_BOOT_S);
    out->stop_s = JL_GIVEN_OR(entry, stop_s, DEFAULT_STOP_S);
    if (has_gpus) {
        const bool is_amd = entry->vendor == VENDOR_AMD || (entry->vendor != VENDOR_NVIDIA &&
                                                            jl_same(out->gpu_model->vendor, "amd"));
        out->gpu_vendor = is_amd ? "amd" : "nvidia";
        out->gpu_resource = is_amd ? "amd.com/gpu" : "nvidia.com/gpu";
    }
    const struct jl_physics_hardware hardware = { out->cpu_text, out->gpu_text, out->sockets,
                                                  out->gpus };
    struct jl_physics_profile settings = entry->physics;
    settings.given.gpu = true;
    settings.driver_family = jl_arena_string(arena, settings.driver_family);
    JL_TAKE(&settings, relative_speed, entry, cpu_speed);
    JL_TAKE(&settings.gpu, relative_speed, entry, gpu_speed);
    jl_physics_resolve(&settings, &hardware, rules, &out->profile);
    out->uses_catalog = rules == JL_PHYSICS_CURRENT;
    return build_labels(arena, &entry->labels, out);
}

static int add_machines(struct jl_inventory *inventory, const struct entry *entry,
                        const struct jl_sim_family *family)
{
    for (int64_t i = 0; i < replicas_of(entry); i++) {
        char number[JL_DOUBLE_TEXT];
        jl_format_i64(i, number);
        const char *name = entry->given.name
                               ? jl_arena_string(&inventory->arena, entry->name)
                               : JL_JOIN(&inventory->arena, entry->prefix, "-", number);
        if (!name)
            return JOULIE_E_NOMEM;
        inventory->machines[inventory->count++] = (struct jl_sim_machine){ name, family };
    }
    return 0;
}

static int compare_machines(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare(((const struct jl_sim_machine *)a)->name,
                      ((const struct jl_sim_machine *)b)->name);
}

/* Machines are sorted by name. */
static int check_names(const struct jl_inventory *inventory, struct joulie_error *err)
{
    for (size_t i = 1; i < inventory->count; i++) {
        if (jl_same(inventory->machines[i - 1].name, inventory->machines[i].name))
            return jl_fail(err, JOULIE_E_CONFLICT, "nodes", "two nodes are named \"%.253s\"",
                           inventory->machines[i].name);
    }
    return 0;
}

static int count_nodes(struct jl_decode *decode, const struct document *document, size_t *out)
{
    int64_t total = 0;
    for (size_t i = 0; i < document->nodes.count; i++) {
        const struct entry *entry = JL_ITEM(document->nodes, entry, i);
        const int rc = check_entry(decode, i, entry);
        if (rc < 0)
            return rc;
        total += replicas_of(entry);
        if (total > MOST_NODES)
            return fail_entry(decode, i, "replicas", JOULIE_E_LIMIT, "more than 1000000 nodes");
    }
    if (total == 0)
        return jl_fail(decode->err, JOULIE_E_REQUIRED, "nodes", "the inventory has no node");
    *out = (size_t)total;
    return 0;
}

/* The entry that lost most by rounding down gets the next node; ties go to the first. */
static size_t most_wanting(const struct document *document, int64_t wanted, int64_t total)
{
    size_t best = 0;
    int64_t best_rest = -1;
    for (size_t i = 0; i < document->nodes.count; i++) {
        const struct entry *entry = JL_ITEM(document->nodes, entry, i);
        const int64_t rest = entry->original * wanted - entry->replicas * total;
        if (rest > best_rest) {
            best_rest = rest;
            best = i;
        }
    }
    return best;
}

/* Largest remainder: the mix stays, the sum is exact. A node with a name of its own cannot be many.
 */
static int scale(struct jl_decode *decode, const struct document *document, int64_t wanted,
                 size_t *total)
{
    int64_t given = 0;
    if (wanted > MOST_NODES)
        return jl_fail(decode->err, JOULIE_E_LIMIT, "nodes", "more than 1000000 nodes");
    for (size_t i = 0; i < document->nodes.count; i++) {
        struct entry *entry = JL_ITEM(document->nodes, entry, i);
        if (entry->given.name)
            return fail_entry(decode, i, "node_name", JOULIE_E_CONFLICT,
                              "an inventory that names single nodes cannot be scaled");
        entry->original = replicas_of(entry);
        JL_SET(entry, replicas, entry->original * wanted / (int64_t)*total);
        given += entry->replicas;
    }
    for (; given < wanted; given++)
        JL_ITEM(document->nodes, entry, most_wanting(document, wanted, (int64_t)*total))
            ->replicas++;
    *total = (size_t)wanted;
    return 0;
}

static int build(struct jl_decode *decode, const struct document *document, int64_t nodes,
                 enum jl_physics_rules rules, struct jl_inventory *out)
{
    size_t total = 0;
    int rc = count_nodes(decode, document, &total);
    if (rc == 0 && nodes > 0)
        rc = scale(decode, document, nodes, &total);
    if (rc < 0)
        return rc;
    out->families = JL_NEW_ARRAY(&out->arena, document->nodes.count, struct jl_sim_family);
    out->machines = JL_NEW_ARRAY(&out->arena, total, struct jl_sim_machine);
    if (!out->families || !out->machines)
        return jl_fail_memory(decode->err);
    for (size_t i = 0; i < document->nodes.count && rc == 0; i++) {
        const struct entry *entry = JL_ITEM(document->nodes, entry, i);
        struct jl_sim_family *family = &out->families[out->family_count++];
        if (build_family(&out->arena, entry, rules, family) < 0)
            return jl_fail_memory(decode->err);
        rc = check_physics(decode, i, entry, family);
        if (rc < 0)
            return rc;
        rc = add_machines(out, entry, family);
    }
    if (rc == 0)
        rc = jl_sort(out->machines, out->count, sizeof *out->machines, compare_machines, NULL);
    return rc < 0 ? jl_fail_memory(decode->err) : check_names(out, decode->err);
}

/* Built aside and published at the end: a failure leaves *out as it was. */
int jl_inventory_read(const char *text, size_t len, int64_t nodes, enum jl_physics_rules rules,
                      struct jl_inventory *out, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena scratch = { 0 };
    JL_CLEANUP(jl_document_clear) struct jl_document source = { 0 };
    int rc = jl_document_read(&source, text, len, err);
    if (rc < 0)
        return rc;
    struct jl_decode decode = jl_document_decode(&source, &scratch, err);
    struct document document;
    struct jl_inventory inventory = { 0 };
    rc = jl_decode_document(&decode, &document_table, &document);
    if (rc == 0)
        rc = build(&decode, &document, nodes, rules, &inventory);
    if (rc < 0) {
        jl_inventory_clear(&inventory);
        return rc;
    }
    *out = inventory;
    return 0;
}

void jl_inventory_clear(struct jl_inventory *inventory)
{
    jl_arena_clear(&inventory->arena);
    memset(inventory, 0, sizeof *inventory);
}

void jl_inventory_make_equal(struct jl_inventory *inventory)
{
    for (size_t i = 0; i < inventory->family_count; i++) {
        struct jl_physics_profile *profile = &inventory->families[i].profile;
        JL_SET(profile, relative_speed, 1);
        JL_SET(&profile->gpu, relative_speed, 1);
    }
}

size_t jl_sim_machine_index(const struct jl_inventory *inventory, const char *name)
{
    size_t low = 0;
    size_t high = inventory->count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (jl_compare(inventory->machines[middle].name, name) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}
