/* SPDX-License-Identifier: Apache-2.0 */

/* YAML events from libyaml become JSON text and marks of lines (docs/rules/documents.md#yaml). */

#include "schema/yaml_to_json.h"

#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"

struct anchor {
    char *name;
    size_t start; /* its JSON in the output; end 0 = still open */
    size_t end;
};

struct converter {
    yaml_parser_t parser;
    const char *text; /* the YAML */
    size_t len;
    struct jl_buffer *out;
    struct jl_line_map *lines;
    struct joulie_error *err;
    struct anchor *anchors;
    size_t anchor_count;
    size_t anchor_capacity;
    struct jl_index anchor_of_name; /* the latest of each name */
    size_t max_bytes;
    int depth;
};

int jl_looks_like_json(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && jl_is_space(text[i]))
        i++;
    if (i == len || text[i] != '{')
        return i < len && text[i] == '[';
    i++;
    while (i < len && jl_is_space(text[i]))
        i++;
    return i == len || text[i] == '"' || text[i] == '}'; /* else a flow mapping: {text: 1500m} */
}

void jl_line_map_clear(struct jl_line_map *lines)
{
    jl_free(lines->marks);
    *lines = (struct jl_line_map){ 0 };
}

static int fail(struct converter *converter, int code, yaml_mark_t mark, const char *message)
{
    return jl_fail_line(converter->err, code, (uint32_t)(mark.line + 1),
                        (uint32_t)(mark.column + 1), message);
}

static yaml_mark_t mark_of(const struct converter *converter, size_t offset)
{
    uint32_t line;
    uint32_t column;
    jl_line_of(converter->text, converter->len, NULL, offset, &line, &column);
    return (yaml_mark_t){ .index = offset, .line = line - 1, .column = column - 1 };
}

static int fail_parser(struct converter *converter)
{
    const yaml_parser_t *parser = &converter->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return jl_fail_memory(converter->err);
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) /* it reads ahead and knows only the byte */
        mark = mark_of(converter, parser->problem_offset);
    return fail(converter, JOULIE_E_PARSE, mark,
                parser->problem ? parser->problem : "the YAML cannot be read");
}

static int mark_line(struct converter *converter, yaml_mark_t mark)
{
    struct jl_line_map *lines = converter->lines;
    if (JL_GROW(&lines->marks, &lines->capacity, lines->count + 1) < 0)
        return jl_fail_memory(converter->err);
    lines->marks[lines->count++] = (struct jl_line_mark){ .offset = converter->out->len,
                                                          .line = (uint32_t)mark.line + 1,
                                                          .column = (uint32_t)mark.column + 1 };
    return 0;
}

static size_t digits(const char *text, size_t len, size_t from)
{
    size_t i = from;
    while (i < len && jl_is_digit(text[i]))
        i++;
    return i - from;
}

/*
 * The YAML 1.2 core forms of a float or decimal integer, and its JSON spelling: no plus, no leading
 * zeros, digits around the point.
 */
static bool put_decimal(struct jl_buffer *out, const char *text, size_t len)
{
    const size_t sign = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const size_t whole = digits(text, len, sign);
    size_t pos = sign + whole;
    size_t fraction = 0;
    const bool has_point = pos < len && text[pos] == '.';
    if (has_point) {
        fraction = digits(text, len, pos + 1);
        pos += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    const size_t exponent_at = pos;
    if (pos < len && (text[pos] == 'e' || text[pos] == 'E')) {
        pos++;
        if (pos < len && (text[pos] == '-' || text[pos] == '+'))
            pos++;
        const size_t exponent = digits(text, len, pos);
        if (exponent == 0)
            return false;
        pos += exponent;
    }
    if (pos != len)
        return false;

    size_t first = sign;
    while (first + 1 < sign + whole && text[first] == '0')
        first++;
    if (sign && text[0] == '-')
        jl_put_char(out, '-');
    if (whole == 0)
        jl_put_char(out, '0');
    jl_put(out, text + first, sign + whole - first);
    if (fraction > 0)
        jl_put(out, text + sign + whole, fraction + 1);
    jl_put(out, text + exponent_at, len - exponent_at);
    return true;
}

static bool put_based(struct jl_buffer *out, const char *text, size_t len)
{
    const unsigned base = len > 2 && text[0] == '0' ? (text[1] == 'x'   ? 16
                                                       : text[1] == 'o' ? 8
                                                                        : 0)
                                                    : 0;
    uint64_t value = 0;
    if (base == 0 || len > 2 + 13)
        return false;
    for (size_t i = 2; i < len; i++) {
        const char c = jl_lower(text[i]);
        const unsigned digit = jl_is_digit(c)         ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 99;
        if (digit >= base)
            return false;
        value = value * base + digit;
    }
    jl_put_i64(out, (int64_t)value);
    return true;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jl_same(text, words[i]))
            return true;
    }
    return false;
}

static int put_plain(struct converter *converter, const yaml_event_t *event, const char *text,
                     size_t len)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };
    static const char *const trues[] = { "true", "True", "TRUE" };
    static const char *const falses[] = { "false", "False", "FALSE" };
    static const char *const beyond[] = { ".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                          "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN" };

    if (strlen(text) == len && is_one_of(text, nulls, JL_COUNT(nulls)))
        jl_put_string(converter->out, "null");
    else if (is_one_of(text, trues, JL_COUNT(trues)))
        jl_put_string(converter->out, "true");
    else if (is_one_of(text, falses, JL_COUNT(falses)))
        jl_put_string(converter->out, "false");
    else if (is_one_of(text, beyond, JL_COUNT(beyond)))
        return fail(converter, JOULIE_E_RANGE, event->start_mark, "the number is not finite");
    else if (!put_based(converter->out, text, len) && !put_decimal(converter->out, text, len))
        jl_put_json_string(converter->out, text, len);
    return 0;
}

static int check_tag(struct converter *converter, const yaml_char_t *tag, yaml_mark_t mark,
                     bool *is_string)
{
    *is_string = false;
    if (!tag || jl_same((const char *)tag, "!"))
        *is_string = tag != NULL;
    else if (jl_same((const char *)tag, YAML_STR_TAG))
        *is_string = true;
    else
        return fail(converter, JOULIE_E_UNSUPPORTED, mark, "tags are not supported");
    return 0;
}

static int put_scalar(struct converter *converter, const yaml_event_t *event, bool is_key)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t len = event->data.scalar.length;
    bool is_string;
    const int rc = check_tag(converter, event->data.scalar.tag, event->start_mark, &is_string);
    if (rc < 0)
        return rc;
    const bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !is_string;
    if (is_key && is_plain && jl_same(text, "<<"))
        return fail(converter, JOULIE_E_UNSUPPORTED, event->start_mark,
                    "merge keys (<<) are not supported");
    if (is_plain && !is_key)
        return put_plain(converter, event, text, len);
    jl_put_json_string(converter->out, text, len);
    return 0;
}

/* Remembers that a node with an anchor starts here; *index SIZE_MAX = no anchor. */
static int open_anchor(struct converter *converter, const yaml_char_t *name, size_t *index)
{
    *index = SIZE_MAX;
    if (!name)
        return 0;
    if (JL_GROW(&converter->anchors, &converter->anchor_capacity, converter->anchor_count + 1) < 0)
        return jl_fail_memory(converter->err);
    char *copy = jl_strdup((const char *)name);
    if (!copy)
        return jl_fail_memory(converter->err);
    *index = converter->anchor_count++;
    converter->anchors[*index] = (struct anchor){ .name = copy, .start = converter->out->len };
    if (jl_index_set(&converter->anchor_of_name, copy, *index) < 0)
        return jl_fail_memory(converter->err);
    return 0;
}

static void close_anchor(struct converter *converter, size_t index)
{
    if (index != SIZE_MAX)
        converter->anchors[index].end = converter->out->len;
}

static int put_alias(struct converter *converter, const yaml_event_t *event)
{
    size_t index;
    if (!jl_index_get(&converter->anchor_of_name, (const char *)event->data.alias.anchor, &index))
        return fail(converter, JOULIE_E_PARSE, event->start_mark, "an alias without an anchor");
    const struct anchor *anchor = &converter->anchors[index];
    if (anchor->end == 0)
        return fail(converter, JOULIE_E_PARSE, event->start_mark, "an alias inside its own anchor");
    const size_t len = anchor->end - anchor->start;
    if (converter->out->len + len > converter->max_bytes)
        return fail(converter, JOULIE_E_LIMIT, event->start_mark,
                    "aliases expand the document too much");
    char *copy = jl_calloc(len, 1); /* the buffer may move while it grows */
    if (!copy)
        return jl_fail_memory(converter->err);
    memcpy(copy, converter->out->data + anchor->start, len);
    jl_put(converter->out, copy, len);
    jl_free(copy);
    return 0;
}

static int put_node(struct converter *converter, yaml_event_t *event);

static int next_event(struct converter *converter, yaml_event_t *event)
{
    return yaml_parser_parse(&converter->parser, event) ? 0 : fail_parser(converter);
}

static int put_sequence(struct converter *converter)
{
    jl_put_char(converter->out, '[');
    for (bool is_first = true;; is_first = false) {
        yaml_event_t event;
        int rc = next_event(converter, &event);
        if (rc < 0)
            return rc;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        if (!is_first)
            jl_put_char(converter->out, ',');
        rc = put_node(converter, &event);
        if (rc < 0)
            return rc;
    }
    jl_put_char(converter->out, ']');
    return 0;
}

static int put_mapping(struct converter *converter)
{
    jl_put_char(converter->out, '{');
    for (bool is_first = true;; is_first = false) {
        yaml_event_t key;
        int rc = next_event(converter, &key);
        if (rc < 0)
            return rc;
        if (key.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&key);
            break;
        }
        if (!is_first)
            jl_put_char(converter->out, ',');
        rc = mark_line(converter, key.start_mark);
        if (rc == 0)
            rc = key.type == YAML_SCALAR_EVENT ? put_scalar(converter, &key, true)
                                               : fail(converter, JOULIE_E_UNSUPPORTED,
                                                      key.start_mark, "a key must be a scalar");
        yaml_event_delete(&key);
        if (rc < 0)
            return rc;
        jl_put_char(converter->out, ':');

        yaml_event_t value;
        rc = next_event(converter, &value);
        if (rc == 0)
            rc = put_node(converter, &value);
        if (rc < 0)
            return rc;
    }
    jl_put_char(converter->out, '}');
    return 0;
}

static int put_collection(struct converter *converter, const yaml_event_t *event)
{
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        is_mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (tag)
        return fail(converter, JOULIE_E_UNSUPPORTED, event->start_mark, "tags are not supported");
    if (converter->depth >= JL_LIMIT_NESTING)
        return fail(converter, JOULIE_E_LIMIT, event->start_mark,
                    "objects and arrays are nested too deep");
    converter->depth++;
    const int rc = is_mapping ? put_mapping(converter) : put_sequence(converter);
    converter->depth--;
    return rc;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT)
        return event->data.scalar.anchor;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return event->data.sequence_start.anchor;
    return event->type == YAML_MAPPING_START_EVENT ? event->data.mapping_start.anchor : NULL;
}

/* Writes one node and releases its event. */
static int put_node(struct converter *converter, yaml_event_t *event)
{
    size_t anchor = SIZE_MAX;
    int rc = mark_line(converter, event->start_mark);
    if (rc == 0)
        rc = open_anchor(converter, anchor_of(event), &anchor);
    if (rc == 0) {
        if (event->type == YAML_SCALAR_EVENT)
            rc = put_scalar(converter, event, false);
        else if (event->type == YAML_ALIAS_EVENT)
            rc = put_alias(converter, event);
        else
            rc = put_collection(converter, event);
    }
    if (rc == 0)
        close_anchor(converter, anchor);
    yaml_event_delete(event);
    if (rc == 0 && converter->out->is_failed)
        rc = jl_fail_memory(converter->err);
    return rc;
}

/* The next event must be of this type: start and end of stream and document. */
static int expect(struct converter *converter, yaml_event_type_t type, const char *message)
{
    yaml_event_t event;
    int rc = next_event(converter, &event);
    if (rc < 0)
        return rc;
    if (event.type != type)
        rc = fail(converter, JOULIE_E_PARSE, event.start_mark, message);
    yaml_event_delete(&event);
    return rc;
}

static int convert(struct converter *converter)
{
    yaml_event_t root;
    int rc = expect(converter, YAML_STREAM_START_EVENT, "the YAML cannot be read");
    if (rc == 0)
        rc = expect(converter, YAML_DOCUMENT_START_EVENT, "the document is empty");
    if (rc == 0)
        rc = next_event(converter, &root);
    if (rc == 0)
        rc = put_node(converter, &root);
    if (rc == 0)
        rc = expect(converter, YAML_DOCUMENT_END_EVENT, "the document does not end");
    if (rc == 0)
        rc = expect(converter, YAML_STREAM_END_EVENT, "one document was expected, there are more");
    return rc;
}

int jl_yaml_to_json(const char *text, size_t len, struct jl_buffer *out, struct jl_line_map *lines,
                    struct joulie_error *err)
{
    struct converter converter = {
        .text = text,
        .len = len,
        .out = out,
        .lines = lines,
        .err = err,
        .max_bytes = len * JL_LIMIT_YAML_EXPANSION + JL_LIMIT_YAML_EXTRA,
    };
    if (!yaml_parser_initialize(&converter.parser))
        return jl_fail_memory(err);
    yaml_parser_set_encoding(&converter.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&converter.parser, (const unsigned char *)text, len);

    const int rc = convert(&converter);

    yaml_parser_delete(&converter.parser);
    for (size_t i = 0; i < converter.anchor_count; i++)
        jl_free(converter.anchors[i].name);
    jl_free(converter.anchors);
    jl_index_clear(&converter.anchor_of_name);
    return rc;
}
