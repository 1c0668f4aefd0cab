/* SPDX-License-Identifier: MIT  See sparse_blocks.h. */
#include "sparse_blocks.h"

#include <string.h>

#include "kernels/kernels.h"

/* ---- configure ------------------------------------------------------------------------------------------------------- */

static void read_pattern(nx_reader *r, nx_sparse_blocks *b, const char *arch, uint32_t positions) {
    static const char *const kinds[] = {"strided", "fixed", "blocks"}, *const ways[] = {"interleaved", "merged", "heads"};
    nx_sparse *p = &b->pattern;
    p->kind = (nx_sparse_kind)nx_read_choice(r, nx_key(arch, "attention.pattern").text, kinds, 3);
    p->positions = positions;
    p->stride = nx_read_u32(r, nx_key(arch, "attention.stride").text, 1, positions, NX_REQUIRED);
    if (p->kind == NX_FIXED) p->summary = nx_read_u32(r, nx_key(arch, "attention.summary").text, 1, p->stride, NX_REQUIRED);
    b->combine = (nx_sparse_combine)nx_read_choice(r, nx_key(arch, "attention.combine").text, ways, 3);
    if (p->kind == NX_BLOCKS && b->combine != NX_INTERLEAVED)
        nx_reader_fail(r, NX_E_UNSUPPORTED, nx_key(arch, "attention.combine").text, "three sets are taken in turn");
    if (b->combine == NX_BY_HEAD && b->heads < 2)
        nx_reader_fail(r, NX_E_FORMAT, nx_key(arch, "attention.head_count").text, "two sets by head need two heads");
}

void nx_sparse_blocks_read(nx_reader *r, nx_sparse_blocks *b, const char *arch, const char *stack, uint32_t positions) {
    b->n_blocks = nx_read_u32(r, nx_key(arch, "block_count").text, 1, 256, NX_REQUIRED);
    uint32_t d = b->d = nx_read_width(r, nx_key(arch, "embedding_length").text, 8192, NX_REQUIRED);
    b->inner = nx_read_width(r, nx_key(arch, "feed_forward_length").text, 65536, NX_REQUIRED);
    b->heads = nx_read_u32(r, nx_key(arch, "attention.head_count").text, 1, 256, NX_REQUIRED);
    b->key_length = nx_read_width(r, nx_key(arch, "attention.key_length").text, NX_MAX_KEY_LENGTH, b->heads ? d / b->heads : 4);
    b->epsilon = nx_read_f32(r, nx_key(arch, "attention.layer_norm_epsilon").text, 0, 1, 1e-5f);
    read_pattern(r, b, arch, positions);
    uint32_t width = b->heads * b->key_length;
    nx_sparse_block *blocks = nx_arena_take(r->arena, b->n_blocks * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < b->n_blocks && !r->status; i++) {
        nx_sparse_block *block = blocks ? blocks + i : &unplaced;
        block->attention_norm = nx_read_norm(r, stack, i, "attn_norm", d);
        block->query = nx_read_linear(r, stack, i, "attn_q", width, d);
        block->key = nx_read_linear(r, stack, i, "attn_k", width, d);
        block->value = nx_read_linear(r, stack, i, "attn_v", width, d);
        block->output = nx_read_linear(r, stack, i, "attn_output", d, width);
        block->inner_norm = nx_read_norm(r, stack, i, "ffn_norm", d);
        block->up = nx_read_linear_with_bias(r, stack, i, "ffn_up", b->inner, d);
        block->down = nx_read_linear_with_bias(r, stack, i, "ffn_down", d, b->inner);
        if (i == 0) b->cache = nx_cache_form_of(&block->key.weight, 0, b->heads, b->key_length, 1).type;
    }
    b->blocks = blocks;
}

/* ---- the sets that each block and head sees ------------------------------------------------------------------------------ */

/* Neighbouring heads of a block that see the same set of positions and share a cache. */
typedef struct {
    nx_sparse pattern;
    uint32_t first, heads;
} group;

/* Returns the period of the sets: blocks this far apart use the same sets. */
static uint32_t cycle_of(const nx_sparse_blocks *b) { return b->pattern.kind == NX_BLOCKS ? 3 : 2; }

/* Divides the heads of block `index` into one or two groups, writes the groups, and returns their number. positions: length of the
 * sequence. */
static uint32_t groups_of(const nx_sparse_blocks *b, uint32_t index, uint32_t positions, group *groups) {
    uint32_t near = b->heads - b->heads / 2;
    groups[0] = (group){b->pattern, 0, b->heads};
    groups[0].pattern.positions = positions ? positions : 1;
    groups[0].pattern.sets = b->combine == NX_MERGED        ? NX_NEAR | NX_FAR
                             : b->combine == NX_INTERLEAVED ? 1u << index % cycle_of(b)
                                                            : NX_NEAR;
    if (b->combine != NX_BY_HEAD) return 1;
    groups[1] = groups[0];
    groups[1].pattern.sets = NX_FAR;
    groups[0].heads = groups[1].first = near;
    groups[1].heads = b->heads - near;
    return 2;
}

static uint64_t group_bytes(const nx_sparse_blocks *b, const group *g) {
    uint64_t bytes = nx_cache_bytes(b->cache, nx_sparse_slots(&g->pattern), g->heads, b->key_length);
    return (bytes + NX_ALIGN - 1) & ~(uint64_t)(NX_ALIGN - 1);
}

static uint32_t pattern_positions(const nx_sparse_blocks *b, uint32_t length) { return length > b->behind ? length - b->behind : 0; }

/* Returns the size of the caches of the blocks before block `end`. */
static uint64_t caches_bytes(const nx_sparse_blocks *b, uint32_t end, uint32_t length) {
    uint32_t cycle = cycle_of(b);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cycle; i++) {
        group groups[2];
        uint32_t n = groups_of(b, i, pattern_positions(b, length), groups), alike = (end + cycle - 1 - i) / cycle;
        for (uint32_t g = 0; g < n; g++) bytes += alike * group_bytes(b, groups + g);
    }
    return bytes;
}

uint64_t nx_sparse_blocks_state_bytes(const nx_sparse_blocks *b, uint32_t length) { return caches_bytes(b, b->n_blocks, length); }

nx_map nx_sparse_blocks_map(const nx_sparse_blocks *b) {
    nx_map map = {.name = "attention", .port = NX_NONE, .rows = b->n_blocks * b->heads, .keys = 1};
    for (uint32_t i = 0; i < cycle_of(b); i++) {
        group groups[2];
        uint32_t n = groups_of(b, i, b->pattern.positions, groups);
        for (uint32_t g = 0; g < n; g++)
            if (nx_sparse_window(&groups[g].pattern) > map.keys) map.keys = nx_sparse_window(&groups[g].pattern);
    }
    return map;
}

uint32_t nx_sparse_blocks_keys(const nx_sparse_blocks *b, uint32_t row, uint32_t position, uint32_t *keys) {
    group groups[2];
    if (position < b->behind) {
        keys[0] = 0;
        return 1;
    }
    uint32_t n = groups_of(b, row / b->heads, b->pattern.positions, groups), head = row % b->heads;
    const group *g = groups + (n > 1 && head >= groups[1].first);
    uint32_t count = nx_sparse_keys(&g->pattern, position - b->behind, keys);
    for (uint32_t i = 0; i < count; i++) keys[i] += b->behind;
    return count;
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    float *y, *normed;          /* shape (J, d); y: a sublayer's output, normed: a sublayer's input */
    float *query, *key, *value; /* shape (J, H k) */
    float *mixed;               /* shape (J, H k) */
    float *inner;               /* shape (J, F) */
    nx_range *ranges;
    void *attend, *matmul;
    uint64_t bytes;
} scratch;

static scratch scratch_at(const nx_sparse_blocks *b, void *memory, uint32_t n) {
    nx_arena arena = {memory, 0, UINT64_MAX};
    uint32_t width = b->heads * b->key_length, widest = b->d > b->inner ? b->d : b->inner;
    uint64_t d_bytes = (uint64_t)n * nx_stride(b->d) * 4, width_bytes = (uint64_t)n * nx_stride(width) * 4;
    if (width > widest) widest = width;
    nx_sparse both = b->pattern;
    if (b->combine == NX_MERGED) both.sets = NX_NEAR | NX_FAR;
    uint32_t n_ranges = b->combine == NX_MERGED ? nx_sparse_max_ranges(&both) : 1;
    scratch s;
    s.y = nx_arena_take(&arena, d_bytes);
    s.normed = nx_arena_take(&arena, d_bytes);
    s.query = nx_arena_take(&arena, width_bytes);
    s.key = nx_arena_take(&arena, width_bytes);
    s.value = nx_arena_take(&arena, width_bytes);
    s.mixed = nx_arena_take(&arena, width_bytes);
    s.inner = nx_arena_columns(&arena, n, b->inner);
    s.ranges = nx_arena_take(&arena, n_ranges * sizeof *s.ranges);
    s.attend = nx_arena_take(&arena, nx_attend_scratch_bytes(nx_sparse_blocks_map(b).keys, n_ranges));
    s.matmul = nx_arena_take(&arena, nx_input_bytes(widest, n));
    s.bytes = arena.used;
    return s;
}

uint64_t nx_sparse_blocks_scratch_bytes(const nx_sparse_blocks *b, uint32_t n) { return scratch_at(b, NULL, n).bytes; }

/* Returns LN(x) as an input for nx_apply. */
static nx_input normed(const nx_sparse_blocks *b, const scratch *s, const nx_norm *norm, const float *x, uint32_t n) {
    memcpy(s->normed, x, (size_t)n * nx_stride(b->d) * sizeof *x);
    nx_norm_columns(norm, s->normed, b->epsilon, b->d, n);
    return nx_input_of(s->normed, n, s->matmul);
}

/* Computes the attention output of a group of heads for n columns, and writes it to s->mixed. The group's caches start at `offset` in the
 * columns' states. */
static void gather(const nx_sparse_blocks *b, uint32_t index, const group *g, uint64_t offset, const scratch *s, const nx_column *columns,
                   uint32_t n) {
    size_t stride = nx_stride(b->heads * b->key_length), at = (size_t)g->first * b->key_length;
    nx_cache cache = {NULL, b->cache, nx_sparse_slots(&g->pattern), g->heads, b->key_length, 1, 0};
    for (uint32_t j = 0; j < n; j++) {
        uint32_t slot = nx_sparse_slot(&g->pattern, columns[j].position - b->behind);
        cache.memory = (uint8_t *)columns[j].state + offset;
        if (slot != NX_NOT_KEPT) nx_cache_write(&cache, slot, s->key + j * stride + at, s->value + j * stride + at);
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t n_ranges = nx_sparse_ranges(&g->pattern, columns[j].position - b->behind, s->ranges);
        float *out = s->mixed + j * stride + at, *map = columns[j].maps;
        uint32_t keys = 0;
        if (!n_ranges) { /* attention over an empty set is zero */
            memset(out, 0, (size_t)g->heads * b->key_length * sizeof *out);
            continue;
        }
        if (map) {
            nx_map form = nx_sparse_blocks_map(b);
            keys = nx_map_keys(&form, &columns[j].inputs->shape);
            map += ((size_t)index * b->heads + g->first) * keys;
        }
        cache.memory = (uint8_t *)columns[j].state + offset;
        nx_attend(out, s->query + j * stride + at, &cache, s->ranges, n_ranges, s->attend, map, keys);
    }
}

void nx_sparse_blocks_apply(const nx_sparse_blocks *b, float *x, const nx_column *columns, uint32_t n, void *memory) {
    scratch s = scratch_at(b, memory, n);
    uint32_t length = columns[0].inputs->shape.length;
    nx_keep_hidden(columns, n, 0, x, b->d);
    for (uint32_t i = 0; i < b->n_blocks; i++) {
        const nx_sparse_block *block = b->blocks + i;
        nx_input input = normed(b, &s, &block->attention_norm, x, n);
        nx_apply(s.query, &block->query, &input);
        nx_apply(s.key, &block->key, &input);
        nx_apply(s.value, &block->value, &input);
        group groups[2];
        uint64_t offset = caches_bytes(b, i, length);
        for (uint32_t g = 0, count = groups_of(b, i, pattern_positions(b, length), groups); g < count; g++) {
            gather(b, i, groups + g, offset, &s, columns, n);
            offset += group_bytes(b, groups + g);
        }
        input = nx_input_of(s.mixed, n, s.matmul);
        nx_apply(s.y, &block->output, &input);
        nx_add(x, s.y, b->d, n);

        input = normed(b, &s, &block->inner_norm, x, n);
        nx_apply(s.inner, &block->up, &input);
        nx_gelu_sigmoid(s.inner, b->inner, n);
        input = nx_input_of(s.inner, n, s.matmul);
        nx_apply(s.y, &block->down, &input);
        nx_add(x, s.y, b->d, n);
        nx_keep_hidden(columns, n, i + 1, x, b->d);
    }
}
