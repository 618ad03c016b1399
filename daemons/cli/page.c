/* SPDX-License-Identifier: Apache-2.0 */

/* Pieces of pages and of pictures in them. */

#include "page.h"

#include <string.h>

#include "base/number.h"
#include "runtime/json.h"

/* Colours that people who see colours differently can distinguish (Okabe and Ito's), darker ones on
 * white where text needs the contrast. */
static const char common[] =
    ":root{color-scheme:light dark;--page:#fcfcfb;--ink:#1d2126;--soft:#5b636c;--line:#dfe3e6;"
    "--card:#fff;--served:#c9d0d6;--lost:#d55e00;--a0:#b07300;--a1:#a3487c;--a2:#0072b2;"
    "--a3:#00664d;--a4:#a84400;--a5:#5b636c;--good:#00664d;--bad:#a84400}"
    "@media(prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e8eaec;--soft:#a2abb3;"
    "--line:#32383e;--card:#1b1f23;--served:#4a545d;--lost:#f07f2d;--a0:#e69f00;--a1:#d98abc;"
    "--a2:#56b4e9;--a3:#4cc9a4;--a4:#ff9a5c;--a5:#a2abb3;--good:#4cc9a4;--bad:#ff9a5c}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:1240px;margin:0 auto;padding:28px 24px 64px}"
    "h1{font-size:28px;line-height:1.2;margin:0 0 6px}h2{font-size:21px;margin:44px 0 4px;"
    "padding-top:18px;border-top:1px solid var(--line)}h3{font-size:15px;margin:22px 0 6px}"
    "p{margin:0 0 10px;max-width:76ch}.soft,caption,figcaption{color:var(--soft)}"
    "code{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}"
    "figure{margin:0;padding:12px 14px 10px;background:var(--card);border:1px solid "
    "var(--line);border-radius:8px}"
    "figure h4{margin:0 0 4px;font-size:14px}figcaption{font-size:13px;margin-top:4px}"
    "svg{display:block;width:100%;height:auto}"
    "svg text{font:11px system-ui,sans-serif;fill:var(--soft)}"
    "svg .end{text-anchor:end}svg .mid{text-anchor:middle}svg .name,svg .value{font-size:12px;"
    "fill:var(--ink)}"
    ".grid{stroke:var(--line);stroke-width:1;fill:none}"
    ".a-0{--a:var(--a0)}.a-1{--a:var(--a1)}.a-2{--a:var(--a2)}.a-3{--a:var(--a3)}"
    ".a-4{--a:var(--a4)}.a-5{--a:var(--a5)}"
    ".bar{fill:var(--a)}.whisker{stroke:var(--ink);stroke-width:1.4;fill:none}"
    ".key{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;padding:0;margin:8px 0 0;"
    "font-size:14px;color:var(--soft)}"
    ".key svg{display:inline-block;width:26px;height:12px;vertical-align:-1px;margin-right:6px}"
    ".scroll{overflow-x:auto;margin-top:10px}"
    "table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;width:100%}"
    "caption{text-align:left;padding:0 0 6px;font-size:14px}"
    "th,td{padding:5px 12px 5px 0;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}"
    "thead th{vertical-align:bottom;color:var(--soft);font-weight:500}"
    "th:first-child,.word{text-align:left}tbody th{font-weight:400}"
    ".better{color:var(--good);font-weight:600}.worse{color:var(--bad);font-weight:600}"
    "@media(max-width:560px){main{padding:18px 14px 48px}}";

void jd_put_page_head(struct jl_buffer *out, const char *title, const char *style)
{
    jd_put_format(out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
                  "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta "
                  "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                  "'unsafe-inline'; img-src data:\"><link rel=\"icon\" "
                  "href=\"data:,\"><title>%s</title><style>%s%s",
                  title, common, style);
}

void jd_put_escaped(struct jl_buffer *out, const char *text)
{
    static const char marks[] = "&<>\"";
    static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

    for (; text && *text; text++) {
        const char *mark = strchr(marks, *text);
        if (mark)
            jl_put_string(out, names[mark - marks]);
        else
            jl_put_char(out, *text);
    }
}

void jd_put_fixed(struct jl_buffer *out, double value, int decimals)
{
    char text[JL_DOUBLE_TEXT];
    const size_t len = jl_format_fixed(value, decimals, text);
    bool is_zero = true;
    for (size_t i = 0; i < len; i++)
        is_zero &= text[i] == '-' || text[i] == '.' || text[i] == '0';
    const size_t skipped = is_zero && text[0] == '-';
    jl_put(out, text + skipped, len - skipped);
}

/* ---- pictures ---- */

double jd_nice_step(double range, int most)
{
    double step = 1;
    while (step * most < range)
        step *= 10;
    while (step / 10 * most >= range)
        step /= 10;
    if (step / 5 * most >= range)
        return step / 5;
    return step / 2 * most >= range ? step / 2 : step;
}

void jd_put_attribute(struct jl_buffer *out, const char *name, double value)
{
    jd_put_format(out, " %s=\"", name);
    jd_put_fixed(out, value, 1);
    jl_put_char(out, '"');
}

void jd_put_svg_text(struct jl_buffer *out, double x, double y, const char *class_)
{
    jl_put_string(out, "<text");
    jd_put_attribute(out, "x", x);
    jd_put_attribute(out, "y", y);
    jd_put_format(out, " class=\"%s\">", class_);
}
