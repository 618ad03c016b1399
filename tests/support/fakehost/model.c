/* SPDX-License-Identifier: Apache-2.0 */
/* A fake kernel from beginning to end, and what a test may do behind the back of the product. */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define DEFAULT_DELAY_MS 200
#define DEFAULT_LAG_MS 100
#define EPOCH_NS (INT64_C(1700000000) * 1000000000)
#define BOOT_ID "proc/sys/kernel/random/boot_id"
#define BOOT_ID_TAIL 12 /* hex digits */

/* What a tree brings is on the disk. */
static void keep_all(struct fk *fk)
{
    for (struct fk_node *node = fk->nodes; node; node = node->next) {
        fk_names_copy(&node->kept_names, &node->names);
        if (!node->is_kernel && node->kind == FK_FILE)
            fk_bytes_set(&node->kept_bytes, node->bytes.data, node->bytes.len);
    }
}

struct fk *fk_load(const char *tree, char *why, size_t why_size)
{
    struct fk *fk = fk_alloc(1, sizeof *fk);
    fk->epoch_ns = EPOCH_NS;
    fk->space_left = UINT64_MAX;
    fk->is_root = true;
    fk_set_delay_ms(fk, DEFAULT_DELAY_MS);
    fk_set_lag_ms(fk, DEFAULT_LAG_MS);
    if (fk_load_tree(fk, tree, why, why_size) < 0) {
        fk_free(fk);
        return NULL;
    }
    fk_wire(fk);
    fk_control_add(fk);
    fk_settle(fk);
    keep_all(fk);
    return fk;
}

static void free_names(struct fk_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i].name);
    free(names->items);
}

static void free_nodes(struct fk_node *node)
{
    while (node) {
        struct fk_node *next = node->next;
        free_names(&node->names);
        free_names(&node->kept_names);
        free(node->bytes.data);
        free(node->kept_bytes.data);
        free(node->target);
        free(node->name);
        free(node);
        node = next;
    }
}

void fk_free(struct fk *fk)
{
    if (!fk)
        return;
    free_nodes(fk->nodes);
    while (fk->zones) {
        struct fk_zone *next = fk->zones->next;
        free(fk->zones->vanished_as);
        free(fk->zones);
        fk->zones = next;
    }
    while (fk->policies) {
        struct fk_policy *next = fk->policies->next;
        free(fk->policies->table);
        free(fk->policies);
        fk->policies = next;
    }
    for (size_t i = 0; i < fk->unit_count; i++)
        free(fk->units[i].pending);
    free(fk->units);
    fk_rules_clear(fk);
    free(fk->rules);
    free(fk->files);
    jl_buffer_clear(&fk->path);
    jl_buffer_clear(&fk->text);
    free(fk);
}

/* ---- behind the back ---- */

const char *fk_text(struct fk *fk, const char *path)
{
    struct fk_node *node = fk_find(fk, fk->root, path);
    jl_buffer_reset(&fk->text);
    jl_put(&fk->text, "", 0);
    if (!node || node->kind != FK_FILE || fk_live_read(fk, node, &fk->text) < 0)
        return NULL;
    return fk->text.data ? fk->text.data : "";
}

uint64_t fk_number(struct fk *fk, const char *path)
{
    const char *text = fk_text(fk, path);
    char *end = NULL;
    if (!text)
        return UINT64_MAX;
    const uint64_t value = strtoull(text, &end, 10);
    return end == text ? UINT64_MAX : value;
}

/* The folder that holds the last name of a path, made with those above it. */
static struct fk_node *make_folders(struct fk *fk, const char *path, const char **name)
{
    struct fk_node *folder = fk->root;
    *name = path;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(*name, '/')) {
        const size_t len = (size_t)(slash - *name);
        const struct fk_entry *entry = fk_entry(&folder->names, *name, len);
        if (!entry) {
            char *made = fk_copy(*name, len);
            fk_attach(fk, folder, made, fk_node_new(fk, FK_FOLDER, 0700));
            free(made);
            fk_names_copy(&folder->kept_names, &folder->names);
            entry = fk_entry(&folder->names, *name, len);
        }
        folder = entry->node;
        *name = slash + 1;
    }
    return folder;
}

int fk_write_bytes(struct fk *fk, const char *path, const char *bytes, size_t len)
{
    struct fk_node *node = fk_find(fk, fk->root, path);
    if (node && node->is_kernel)
        return fk_live_write(fk, node, bytes, len, FK_POWER_UNIT_UW);
    if (!node) {
        const char *name;
        struct fk_node *folder = make_folders(fk, path, &name);
        if (folder->kind != FK_FOLDER || folder->is_kernel)
            return -ENOENT;
        node = fk_node_new(fk, FK_FILE, 0600);
        fk_attach(fk, folder, name, node);
        fk_names_copy(&folder->kept_names, &folder->names);
    }
    if (node->kind != FK_FILE)
        return -EISDIR;
    fk_bytes_set(&node->bytes, bytes, len);
    fk_bytes_set(&node->kept_bytes, bytes, len);
    fk_touch(fk, node);
    return 0;
}

int fk_write_text(struct fk *fk, const char *path, const char *text)
{
    return fk_write_bytes(fk, path, text, strlen(text));
}

int fk_set_text(struct fk *fk, const char *path, const char *text)
{
    struct fk_node *node = fk_find(fk, fk->root, path);
    if (node && node->live == FK_ENERGY) {
        struct fk_zone *zone = node->zone;
        const uint64_t range_uj = zone->range_uj;
        const uint64_t now_uj = fk_zone_energy_uj(fk, zone);
        zone->base_uj +=
            strtoull(text, NULL, 10) - now_uj + (range_uj > now_uj ? range_uj : now_uj);
        return 0;
    }
    if (!node || node->live != FK_FIXED)
        return -ENOENT;
    fk_bytes_set(&node->bytes, text, strlen(text));
    return 0;
}

uint64_t fk_writes(const struct fk *fk, const char *pattern)
{
    struct fk view = { 0 }; /* for the buffer of the path only */
    uint64_t count = 0;
    for (const struct fk_node *node = fk->nodes; node; node = node->next) {
        if (node->writes > 0 && fnmatch(pattern, fk_path(&view, node), 0) == 0)
            count += node->writes;
    }
    jl_buffer_clear(&view.path);
    return count;
}

void fk_set_root(struct fk *fk, bool is_root)
{
    fk->is_root = is_root;
}

/* ---- ends ---- */

void fk_reboot_process(struct fk *fk)
{
    fk_close_all(fk);
    fk->is_stopped = false;
    fk->stop_in = 0;
}

static void restore(struct fk *fk, struct fk_node *node, size_t kept_bytes)
{
    if (node->is_kernel)
        return;
    if (node->kind == FK_FILE) {
        const size_t kept = node->kept_bytes.len;
        const bool is_appended =
            node->bytes.len > kept &&
            (kept == 0 || memcmp(node->bytes.data, node->kept_bytes.data, kept) == 0);
        size_t len = kept;
        if (is_appended)
            len += node->bytes.len - kept < kept_bytes ? node->bytes.len - kept : kept_bytes;
        else
            fk_bytes_set(&node->bytes, node->kept_bytes.data, kept);
        fk_bytes_resize(&node->bytes, len);
        fk_bytes_set(&node->kept_bytes, node->bytes.data, len);
        return;
    }
    fk_names_copy(&node->names, &node->kept_names);
    for (size_t i = 0; i < node->names.count; i++) {
        const struct fk_entry *entry = &node->names.items[i];
        free(entry->node->name);
        entry->node->name = fk_copy(entry->name, strlen(entry->name));
        entry->node->parent = node;
        restore(fk, entry->node, kept_bytes);
    }
}

static void change_boot_id(struct fk *fk)
{
    struct fk_node *node = fk_find(fk, fk->root, BOOT_ID);
    char tail[BOOT_ID_TAIL + 1];
    if (!node || node->bytes.len < BOOT_ID_TAIL + 1)
        return;
    snprintf(tail, sizeof tail, "%012llx", (unsigned long long)++fk->boots);
    fk_bytes_put(&node->bytes, node->bytes.len - BOOT_ID_TAIL - 1, tail, BOOT_ID_TAIL);
}

void fk_power_loss(struct fk *fk, size_t kept_bytes)
{
    fk_reboot_process(fk);
    restore(fk, fk->root, kept_bytes);
    fk_live_reset(fk);
    change_boot_id(fk);
}
