/* SPDX-License-Identifier: MIT  See sublayers.h. */
#include "sublayers.h"

#include <string.h>

void nx_read_attention(nx_reader *r, const char *stack, uint32_t index, nx_attention_weights *w, const char *const *names,
                       const nx_block_form *form) {
    w->query = nx_read_linear(r, stack, index, names[0], form->width, form->d);
    w->key = nx_read_linear(r, stack, index, names[1], form->width, form->d);
    w->value = nx_read_linear(r, stack, index, names[2], form->width, form->d);
    w->output = nx_read_linear(r, stack, index, names[3], form->d, form->width);
    w->norm = nx_read_norm(r, stack, index, names[4], form->d);
}

const nx_block *nx_read_blocks(nx_reader *r, const char *stack, uint32_t n, const nx_block_form *form) {
    static const char *const self[] = {"attn_q", "attn_k", "attn_v", "attn_output", "attn_norm"};
    static const char *const cross[] = {"cross_attn_q", "cross_attn_k", "cross_attn_v", "cross_attn_output", "cross_attn_norm"};
    nx_block *blocks = nx_arena_take(r->arena, n * sizeof *blocks), unplaced;
    for (uint32_t i = 0; i < n && !r->status; i++) {
        nx_block *b = blocks ? blocks + i : &unplaced;
        nx_linear (*const read)(nx_reader *, const char *, uint32_t, const char *, uint32_t, uint32_t) =
            form->biased ? nx_read_linear_with_bias : nx_read_linear;
        nx_read_attention(r, stack, i, &b->self, self, form);
        if (form->cross) nx_read_attention(r, stack, i, &b->cross, cross, form);
        b->feed_forward.up = read(r, stack, i, "ffn_up", form->inner, form->d);
        b->feed_forward.down = read(r, stack, i, "ffn_down", form->d, form->inner);
        b->feed_forward.norm = nx_read_norm(r, stack, i, "ffn_norm", form->d);
    }
    return blocks;
}

nx_sublayers nx_sublayers_at(nx_arena *arena, const nx_block_form *form, int pre_norm, float epsilon, uint32_t window, uint32_t n_ranges,
                             uint32_t n) {
    uint32_t widest = form->d > form->width ? form->d : form->width;
    nx_sublayers s = {.d = form->d, .width = form->width, .pre_norm = pre_norm, .epsilon = epsilon};
    s.y = nx_arena_columns(arena, n, form->d);
    s.normed = nx_arena_columns(arena, pre_norm ? n : 0, form->d);
    s.query = nx_arena_columns(arena, n, form->width);
    s.key = nx_arena_columns(arena, n, form->width);
    s.value = nx_arena_columns(arena, n, form->width);
    s.mixed = nx_arena_columns(arena, n, form->width);
    s.inner = nx_arena_columns(arena, n, form->inner);
    s.attend = nx_arena_take(arena, nx_attend_scratch_bytes(window, n_ranges));
    s.matmul = nx_arena_take(arena, nx_input_bytes(form->inner > widest ? form->inner : widest, n));
    return s;
}

void nx_project(const nx_sublayers *s, float *out, const nx_linear *linear, const float *x, uint32_t n) {
    nx_input input = nx_input_of(x, n, s->matmul);
    nx_apply(out, linear, &input);
}

nx_input nx_sublayer_input(const nx_sublayers *s, const float *x, const nx_norm *norm, uint32_t n) {
    if (s->pre_norm) {
        memcpy(s->normed, x, (size_t)n * nx_stride(s->d) * sizeof *x);
        nx_norm_columns(norm, s->normed, s->epsilon, s->d, n);
    }
    return nx_input_of(s->pre_norm ? s->normed : x, n, s->matmul);
}

void nx_sublayer_join(const nx_sublayers *s, float *x, const nx_linear *linear, const float *input, const nx_norm *norm, uint32_t n) {
    nx_project(s, s->y, linear, input, n);
    nx_add(x, s->y, s->d, n);
    if (!s->pre_norm) nx_norm_columns(norm, x, s->epsilon, s->d, n);
}

void nx_keys_and_values(const nx_sublayers *s, const nx_attention_weights *w, nx_input *input) {
    nx_apply(s->key, &w->key, input);
    nx_apply(s->value, &w->value, input);
}

void nx_keep(const nx_sublayers *s, const nx_cache *cache, uint32_t position, uint32_t j) {
    size_t at = (size_t)j * nx_stride(s->width);
    nx_cache_write(cache, position, s->key + at, s->value + at);
}

void nx_fill_cache(const nx_sublayers *s, const nx_attention_weights *w, const float *x, uint32_t at, uint32_t n, const nx_cache *cache,
                   int own) {
    nx_input input = own ? nx_sublayer_input(s, x, &w->norm, n) : nx_input_of(x, n, s->matmul);
    nx_keys_and_values(s, w, &input);
    for (uint32_t j = 0; j < n; j++) nx_keep(s, cache, at + j, j);
}

void nx_source_attention(const nx_sublayers *s, const nx_attention_weights *w, float *x, const nx_cache *cache, uint32_t S, uint32_t n,
                         float *const *maps, uint32_t apart) {
    nx_range all = {0, S};
    nx_input input = nx_sublayer_input(s, x, &w->norm, n);
    nx_apply(s->query, &w->query, &input);
    for (uint32_t j = 0; j < n; j++) {
        size_t at = (size_t)j * nx_stride(s->width);
        nx_attend(s->mixed + at, s->query + at, cache, &all, 1, s->attend, maps ? maps[j] : NULL, apart);
    }
    nx_sublayer_join(s, x, &w->output, s->mixed, &w->norm, n);
}

void nx_feed_forward_columns(const nx_sublayers *s, const nx_feed_forward *w, float *x, uint32_t n) {
    nx_input input = nx_sublayer_input(s, x, &w->norm, n);
    nx_apply(s->inner, &w->up, &input);
    nx_relu(s->inner, w->up.weight.rows, n);
    nx_sublayer_join(s, x, &w->down, s->inner, &w->norm, n);
}
