/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The answer of an experiment, for its table and its page. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct json_object;

struct jd_cell { /* rows of one scenario, load and word for speeds, one after another */
    struct json_object *rows;
    size_t first;
    size_t count;
};

/* The cell that begins at a row of the answer; false = there is none. */
bool jd_cell_at(struct json_object *answer, size_t first, struct jd_cell *out);
struct json_object *jd_cell_row(const struct jd_cell *cell, size_t index);
bool jd_cell_is_best(struct json_object *row); /* baseline, which the others are compared with */

/* "cpu-mixed, load 0.2, speeds: catalog, against kube, 20 seeds" */
void jd_put_cell_name(struct jl_buffer *out, const struct jd_cell *cell);
/* "could be saved at most: ..."; nothing when that is unknown. */
void jd_put_bound(struct jl_buffer *out, const struct jd_cell *cell);

enum { JD_FIGURE_SAVED = 1, JD_FIGURES = 6 };

struct jd_figure {
    const char *key;  /* in a row */
    const char *head; /* of its column */
    int decimals;
    bool is_difference; /* from the best baseline */
};

extern const struct jd_figure jd_figures[JD_FIGURES];

/* "+3.10 ± 0.42", the mean alone, or nothing. */
void jd_put_figure(struct jl_buffer *out, struct json_object *row, const struct jd_figure *figure);
/* What must not be overlooked, with "; " between. */
void jd_put_notes(struct jl_buffer *out, struct json_object *row);

/* experiment_page.c: one file of HTML that needs nothing else. */
void jd_put_experiment_page(struct jl_buffer *out, struct json_object *answer);

/* experiment_plot.c: pictures of a cell. */
void jd_put_boxes(struct jl_buffer *out, const struct jd_cell *cell);
void jd_put_power(struct jl_buffer *out, const struct jd_cell *cell);
void jd_put_parts(struct jl_buffer *out, const struct jd_cell *cell);
void jd_put_waits(struct jl_buffer *out, const struct jd_cell *cell);
