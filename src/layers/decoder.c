/* SPDX-License-Identifier: MIT  See decoder.h. */
#include "decoder.h"

#include <string.h>

#include "gguf.h"
#include "kernels/kernels.h"

void nx_decoder_read(nx_reader *r, nx_decoder *m) {
    uint32_t values = nx_read_vocabulary(r, "token_embd.weight");
    m->distribution = (nx_output){.kind = NX_CATEGORICAL, .values = values, .elements = 1};
    m->tied = !nx_tensor_rows(r, "output.weight");
    if (!m->tied) m->ids = nx_read_embedding(r, "token_embd.weight", values, m->d);
    m->head = nx_read_matrix(r, m->tied ? "token_embd.weight" : "output.weight", values, m->d);
}

/* Returns whether a metadata entry equals `number`, which is 0 or 1. */
static int is_number(const nx_metadata *entry, int number) {
    uint64_t bits = 0;
    if (entry->type == GGUF_STRING || entry->type == GGUF_ARRAY) return 0;
    memcpy(&bits, entry->value, entry->value_bytes);
    if (number && entry->type == GGUF_F32) return bits == 0x3f800000;
    if (number && entry->type == GGUF_F64) return bits == 0x3ff0000000000000;
    return bits == (uint64_t)number;
}

/* GGUF keys with which a file requests a different computation in other programs. A decoder accepts only the neutral values of these keys.
 * The first character is the neutral value of the key: 0, 1, or b if both are neutral. The second character is * if the key is a scale; a
 * model that reads scales itself accepts these keys. */
static const char others[][40] = {
    "1 attention.causal",
    "0 attention.clamp_kqv",
    "0 attention.key_length_mla",
    "0 attention.key_length_swa",
    "0 attention.kv_lora_rank",
    "0 attention.max_alibi_bias",
    "b attention.output_scale",
    "0 attention.q_lora_rank",
    "0 attention.relative_buckets_count",
    "0*attention.scale",
    "0 attention.shared_kv_layers",
    "0 attention.temperature_length",
    "0 attention.temperature_scale",
    "0 attention.value_length_mla",
    "0 attention.value_length_swa",
    "0 embedding_length_per_layer_input",
    "b*embedding_scale",
    "b*logit_scale",
    "b*residual_scale",
    "0 rope.dimension_count_swa",
    "0 rope.dimension_sections",
    "b rope.scaling.alpha",
    "0 use_parallel_residual",
};

void nx_decoder_refuse(nx_reader *r, const char *arch, int scaled) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *other = others[i];
        nx_name key = nx_key(arch, other + 2);
        nx_metadata entry;
        if ((scaled && other[1] == '*') || !nx_gguf_find(r->file, key.text, &entry)) continue;
        if ((other[0] != '1' && is_number(&entry, 0)) || (other[0] != '0' && is_number(&entry, 1))) continue;
        nx_reader_fail(r, NX_E_UNSUPPORTED, key.text, "it requests a computation that is not supported");
    }
}

void nx_decoder_cache(nx_decoder *m, const nx_matrix *keys, int wide) {
    m->cache = nx_cache_form_of(keys, wide, m->n_kv_heads, m->key_length, m->heads / m->n_kv_heads);
    m->cache.cap = m->score_cap;
}

uint32_t nx_head_width(nx_reader *r, const char *key, uint32_t d, uint32_t heads) {
    uint32_t width = d / heads;
    if (d % heads) nx_reader_fail(r, NX_E_FORMAT, key, "it does not divide the width of the model");
    if (width % 4 || width > NX_MAX_KEY_LENGTH || !width)
        nx_reader_fail(r, NX_E_UNSUPPORTED, key, "the width of a head is not a multiple of 4, or too large");
    return width;
}

void nx_decoder_plan(nx_reader *r, const nx_decoder *m, uint32_t length, nx_plan *plan) {
    plan->output = m->distribution;
    plan->length = length;
    plan->rewinds = length;
    nx_plan_hidden(plan, m->n_blocks, m->d);
    nx_read_ends(r, plan);
    plan->maps[plan->n_maps++] = (nx_map){.name = "attention", .port = NX_NONE, .rows = m->n_blocks * m->heads, .keys = length};
}

/* Returns the form of the caches of a run. */
static nx_cache_form form_of(const nx_decoder *m, const nx_shape *shape) {
    nx_cache_form form = m->cache;
    if (form.type != NX_F32 && shape->key_bits) form.type = shape->key_bits == 16 ? NX_KV8_WIDE : NX_KV8;
    return form;
}

uint64_t nx_decoder_state_bytes(const void *decoder, const nx_shape *shape) {
    const nx_decoder *m = decoder;
    return m->n_blocks * nx_cache_form_bytes(form_of(m, shape), shape->length);
}

void nx_decoder_grow(const void *decoder, const nx_shape *from_shape, const void *from, const nx_shape *to_shape, void *to) {
    const nx_decoder *m = decoder;
    nx_cache_form form = form_of(m, to_shape);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        nx_cache short_one = nx_cache_of_block(form, from, i, from_shape->length);
        nx_cache long_one = nx_cache_of_block(form, to, i, to_shape->length);
        nx_cache_copy(&long_one, &short_one);
    }
}

uint32_t nx_decoder_pass_end(const void *decoder, uint32_t position) {
    (void)decoder;
    return position ? UINT32_MAX : 1;
}

uint32_t nx_decoder_keys(const void *decoder, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *keys) {
    (void)decoder, (void)shape, (void)map, (void)row;
    keys[0] = 0;
    for (uint32_t i = 0; i < position; i++) keys[i] = i + 1;
    return position ? position : 1;
}

void nx_decoder_start(const nx_decoder *m, const nx_column *columns, uint32_t n, float *parameters) {
    uint32_t V = nx_stride(m->distribution.values);
    for (uint32_t j = 0; j < n; j++) {
        if (parameters) memset(parameters + (size_t)j * V, 0, V * sizeof *parameters);
        for (uint32_t row = 0; columns[j].maps && row < m->n_blocks * m->heads; row++)
            columns[j].maps[(size_t)row * columns[j].inputs->shape.length] = 1;
    }
    for (uint32_t layer = 0; layer <= m->n_blocks; layer++) nx_keep_hidden(columns, n, layer, NULL, m->d);
}

void nx_decoder_embed(const nx_decoder *m, float *x, uint32_t id) {
    if (m->tied)
        nx_matrix_row(x, &m->head, id);
    else
        nx_embed(x, &m->ids, id);
}

void nx_decoder_attend(const nx_decoder *m, uint32_t index, const nx_column *columns, uint32_t n, uint32_t behind, uint32_t local,
                       const nx_qkv *qkv, float *out, void *scratch) {
    uint32_t width = nx_stride(m->heads * m->key_length);
    nx_cache cache[NX_COLUMNS];
    nx_cache_form form = form_of(m, &columns[0].inputs->shape);
    for (uint32_t j = 0; j < n; j++) {
        size_t at = (size_t)j * qkv->kv_stride;
        cache[j] = nx_cache_of_block(form, columns[j].state, index, columns[j].inputs->shape.length);
        nx_cache_write(&cache[j], columns[j].position - behind, qkv->key + at, qkv->value + at);
    }
    for (uint32_t i = 0; i < m->n_kv_heads * n; i++) {
        uint32_t head = i / n, j = i % n, window = columns[j].inputs->shape.length;
        nx_range past = {0, columns[j].position + 1 - behind};
        if (local && past.to > local) past.from = past.to - local;
        float *map = columns[j].maps ? columns[j].maps + (size_t)index * m->heads * window : NULL;
        nx_attend_head(out + (size_t)j * width, qkv->query + (size_t)j * qkv->query_stride, &cache[j], head, &past, 1, scratch, map,
                       window);
    }
}
