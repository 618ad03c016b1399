/* SPDX-License-Identifier: Apache-2.0 */

/* What was logged about each node, by name, so that a state is reported at its edges. */

#include "operator/notes.h"

#include "base/memory.h"
#include "base/text.h"

struct jd_note *jd_note_find(const struct jd_notes *notes, const char *node_name)
{
    size_t at = 0;
    return jl_index_get(&notes->index, node_name, &at) ? (struct jd_note *)at : NULL;
}

struct jd_note *jd_note_of(struct jd_notes *notes, const char *node_name)
{
    struct jd_note *note = jd_note_find(notes, node_name);
    if (note)
        return note;
    note = jl_calloc(1, sizeof *note);
    if (!note)
        return NULL;
    note->node_name = jl_strdup(node_name);
    if (note->node_name && jl_index_set(&notes->index, note->node_name, (size_t)note) == 0)
        return note;
    jl_free(note->node_name);
    jl_free(note);
    return NULL;
}

/* ---- where its power is read ---- */

static void clear_wire(struct jd_wire *wire)
{
    jl_free(wire->url);
    *wire = (struct jd_wire){ 0 };
}

void jd_note_unwire(struct jd_note *note)
{
    clear_wire(&note->wires[0]);
    clear_wire(&note->wires[1]);
    note->is_wire_good = false;
    note->is_new_source_bad = false;
}

/* One that never answered is nothing to go back to. */
bool jd_note_wire(struct jd_note *note, const char *url, enum joulie_remote_type type,
                  int64_t timeout_ms)
{
    struct jd_wire *wire = &note->wires[0];
    if (jl_same(wire->url, url)) {
        wire->timeout_ms = timeout_ms;
        return true;
    }
    char *copy = jl_strdup(url);
    if (!copy)
        return false;
    if (note->is_wire_good) {
        clear_wire(&note->wires[1]);
        note->wires[1] = *wire;
        wire->url = NULL;
    }
    clear_wire(wire);
    *wire = (struct jd_wire){ copy, type, timeout_ms };
    note->is_wire_good = false;
    note->is_new_source_bad = false;
    return true;
}

void jd_note_wired(struct jd_note *note)
{
    clear_wire(&note->wires[1]);
    note->is_wire_good = true;
    note->is_new_source_bad = false;
}

void jd_free_endpoint(struct joulie_remote_endpoint *endpoint)
{
    joulie_free(endpoint->url);
}

static void drop(struct jd_note *note)
{
    if (!note)
        return;
    jd_note_unwire(note);
    jl_free(note->node_name);
    jl_free(note);
}

void jd_notes_forget(struct jd_notes *notes, const char *node_name)
{
    struct jd_note *note = jd_note_find(notes, node_name);
    if (!note)
        return;
    jl_index_remove(&notes->index, node_name);
    drop(note);
}

static struct jd_note *in_slot(const struct jd_notes *notes, size_t i)
{
    const struct jl_index_slot *slot = &notes->index.slots[i];
    return jl_is_empty(slot->name) ? NULL : (struct jd_note *)slot->value;
}

void jd_notes_clear(struct jd_notes *notes)
{
    for (size_t i = 0; i < notes->index.capacity; i++)
        drop(in_slot(notes, i));
    jl_index_clear(&notes->index);
}

int64_t jd_notes_oldest_sample(const struct jd_notes *notes, uint64_t round)
{
    int64_t oldest_ms = 0;
    for (size_t i = 0; i < notes->index.capacity; i++) {
        const struct jd_note *note = in_slot(notes, i);
        if (note && note->round == round && note->sampled_ms > 0 &&
            (oldest_ms == 0 || note->sampled_ms < oldest_ms))
            oldest_ms = note->sampled_ms;
    }
    return oldest_ms;
}
