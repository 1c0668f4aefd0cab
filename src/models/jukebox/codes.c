/* SPDX-License-Identifier: MIT  See codes.h. */
#include "codes.h"

#include <string.h>

#include "kernels/kernels.h"

#define MAX_STRIDE 16
#define MAX_UNITS 6 /* maximum number of units per stride, which limits the largest dilation to 3^5 */
#define MAX_CODES 16384

/* ---- the file ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t n, units, strides[NX_MAX_STRIDES], widths[NX_MAX_STRIDES];
} sizes;

/* Returns a key of a level, for example "jukebox.top.strides" for "jukebox", "top" and "strides". */
static nx_name level_key(const char *arch, const char *name, const char *key) { return nx_key(nx_key(arch, name).text, key); }

static sizes read_sizes(nx_reader *r, const char *arch, const char *name) {
    sizes s = {0};
    nx_name strides = level_key(arch, name, "strides"), widths = level_key(arch, name, "widths");
    s.n = nx_read_numbers(r, strides.text, 2, MAX_STRIDE, s.strides, NX_MAX_STRIDES);
    if (!s.n) nx_reader_fail(r, NX_E_FORMAT, strides.text, "there is no stride");
    if (nx_read_numbers(r, widths.text, 4, NX_STACK_WIDTH, s.widths, NX_MAX_STRIDES) != s.n)
        nx_reader_fail(r, NX_E_FORMAT, widths.text, "not a width for each stride");
    for (uint32_t i = 0; i < s.n; i++) {
        if (s.strides[i] % 2) nx_reader_fail(r, NX_E_UNSUPPORTED, strides.text, "a stride is odd");
        if (s.widths[i] % 4) nx_reader_fail(r, NX_E_UNSUPPORTED, widths.text, "not multiples of 4");
    }
    s.units = nx_read_u32(r, nx_key(arch, "unit_count").text, 1, MAX_UNITS, NX_REQUIRED);
    return s;
}

static uint32_t power_of_3(uint32_t n) {
    uint32_t power = 1;
    while (n--) power *= 3;
    return power;
}

/* Returns the prefix of a stack's tensors, for example "enc.top." for "enc" and "top". */
static nx_name stack_name(const char *coder, const char *name) { return nx_key(nx_key(coder, name).text, ""); }

void nx_codes_read_encoder(nx_reader *r, nx_codes *level, const char *arch, const char *name) {
    sizes s = read_sizes(r, arch, name);
    nx_name stack = stack_name("enc", name), book = nx_key(nx_key("codebook", name).text, "weight");
    level->width = nx_read_width(r, nx_key(arch, "code_length").text, NX_STACK_WIDTH, NX_REQUIRED);
    level->codes = nx_read_u32(r, level_key(arch, name, "code_count").text, 2, MAX_CODES, NX_REQUIRED);
    uint32_t in = level->hop = 1;
    for (uint32_t i = 0; i < s.n && !r->status; in = s.widths[i++]) {
        level->hop *= s.strides[i];
        nx_stack_add(r, &level->encoder, stack.text, NX_STACK_DOWN, s.strides[i], in, s.widths[i]);
        for (uint32_t j = 0; j < s.units; j++)
            nx_stack_add(r, &level->encoder, stack.text, NX_STACK_UNIT, power_of_3(j), s.widths[i], s.widths[i]);
    }
    nx_stack_add(r, &level->encoder, stack.text, NX_STACK_THREE, 1, in, level->width);
    level->book.weight = nx_read_matrix(r, book.text, level->codes, level->width);
    if (!r->status && level->book.weight.type != NX_F32) nx_reader_fail(r, NX_E_UNSUPPORTED, book.text, "the tensor's type is not F32");
    float *half = nx_arena_take(r->arena, nx_stride(level->codes) * sizeof *half), e[NX_STACK_WIDTH];
    level->book.bias = half;
    for (uint32_t k = 0; half && !r->status && k < nx_stride(level->codes); k++) {
        half[k] = 0;
        if (k >= level->codes) continue;
        nx_matrix_row(e, &level->book.weight, k);
        for (uint32_t i = 0; i < level->width; i++) half[k] -= e[i] * e[i] * 0.5f;
    }
}

void nx_codes_read_decoder(nx_reader *r, nx_codes *level, const char *arch, const char *name) {
    sizes s = read_sizes(r, arch, name);
    nx_name stack = stack_name("dec", name);
    if (r->status) return;
    nx_stack_add(r, &level->decoder, stack.text, NX_STACK_THREE, 1, level->width, s.widths[s.n - 1]);
    for (uint32_t i = s.n; i-- > 0;) {
        for (uint32_t j = s.units; j-- > 0;)
            nx_stack_add(r, &level->decoder, stack.text, NX_STACK_UNIT, power_of_3(j), s.widths[i], s.widths[i]);
        nx_stack_add(r, &level->decoder, stack.text, NX_STACK_UP, s.strides[i], s.widths[i], i ? s.widths[i - 1] : 1);
    }
}

/* ---- codes --------------------------------------------------------------------------------------------------------------- */

typedef struct {
    float *h, *scores; /* shapes (J, width), (J, codes) */
    void *matmul;
    uint64_t bytes;
} search;

static search search_at(const nx_codes *level, void *memory) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    search s;
    s.h = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)nx_stride(level->width) * sizeof *s.h);
    s.scores = nx_arena_take(&arena, NX_COLUMNS * (uint64_t)nx_stride(level->codes) * sizeof *s.scores);
    s.matmul = nx_arena_take(&arena, nx_input_bytes(level->width, NX_COLUMNS));
    s.bytes = arena.used;
    return s;
}

uint64_t nx_codes_encode_scratch_bytes(const nx_codes *level) {
    uint64_t bytes = search_at(level, NULL).bytes, stack = nx_stack_scratch_bytes(&level->encoder);
    return bytes > stack ? bytes : stack;
}

static int finite(float x) { return x - x == 0; }

/* Finds the codes of n contiguous vectors, n <= NX_COLUMNS. Returns 0 if a score is not finite. */
static int nearest(const nx_codes *level, const float *h, uint32_t n, uint32_t *codes, void *memory) {
    search s = search_at(level, memory);
    uint32_t width = level->width, stride = nx_stride(width);
    for (uint32_t j = 0; j < n; j++) memcpy(s.h + (size_t)j * stride, h + (size_t)j * width, width * sizeof *h);
    nx_input input = nx_input_of(s.h, n, s.matmul);
    nx_apply(s.scores, &level->book, &input);
    for (uint32_t j = 0; j < n; j++) {
        const float *scores = s.scores + (size_t)j * nx_stride(level->codes);
        uint32_t best = 0;
        for (uint32_t k = 0; k < level->codes; k++) {
            if (!finite(scores[k])) return 0;
            if (scores[k] > scores[best]) best = k;
        }
        codes[j] = best;
    }
    return 1;
}

int nx_codes_encode(const nx_codes *level, uint32_t n, float *rows[2], uint32_t *codes, uint32_t slice, void *scratch) {
    uint32_t before = nx_stack_run(&level->encoder, n * level->hop, rows, slice, scratch), slices = (n + NX_COLUMNS - 1) / NX_COLUMNS;
    if (slice < before) return 1;
    uint32_t first = (slice - before) * NX_COLUMNS;
    if (slice - before >= slices) return 0;
    const float *h = nx_stack_output(&level->encoder, rows) + (size_t)first * level->width;
    if (!nearest(level, h, n - first < NX_COLUMNS ? n - first : NX_COLUMNS, codes + first, scratch)) return -1;
    return slice + 1 < before + slices;
}

int nx_codes_decode(const nx_codes *level, uint32_t n, float *rows[2], const uint32_t *codes, uint32_t slice, void *scratch) {
    for (uint32_t i = 0; slice == 0 && i < n; i++) {
        if (codes[i] >= level->codes) return -1;
        nx_matrix_row(rows[0] + (size_t)i * level->width, &level->book.weight, codes[i]);
    }
    uint32_t slices = nx_stack_run(&level->decoder, n, rows, slice, scratch);
    if (slice + 1 < slices) return 1;
    const float *sound = nx_stack_output(&level->decoder, rows);
    for (uint32_t i = 0; i < n * level->hop; i++)
        if (!finite(sound[i])) return -1;
    return 0;
}
