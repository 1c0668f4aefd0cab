/* SPDX-License-Identifier: MIT
 *
 * The Transformer [Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin 2017, "Attention is all you need",
 * arXiv:1706.03762]: an encoder that reads a sentence, and a decoder that writes another sentence, word by word.
 *
 *   attention(X, M) = W_o concat_h( softmax( (W_q X)_h (W_k M)_h^T / sqrt(k) ) (W_v M)_h )                       sections 3.2.1, 3.2.2
 *   encoder:  x = LN(x + attention(x, x)),  x = LN(x + W_down ReLU(W_up x + b_up) + b_down)                      sections 3.1, 3.3
 *   decoder:  x = LN(x + attention(x, x up to its position)),  x = LN(x + attention(x, encoder's output)),  x = LN(x + ...)
 *
 * These equations show the order of norms called "post". With the order "pre", a sublayer is x = x + f(LN(x)), and each stack ends with one
 * more norm [Xiong et al. 2020, arXiv:2002.04745].
 *
 * One table of V rows serves the source, the target and, as a matrix, the output (section 3.4). The input for an id is its row times
 * sqrt(d), plus the embedding of its position. The target is shifted right by one, and position 0 reads zeros. Sinusoidal positions
 * (section 3.5) are:
 *
 *   PE(p, 2i) = sin(p / 10000^(2i/d)),   PE(p, 2i+1) = cos(p / 10000^(2i/d))
 *
 * Sources of different lengths are not padded.
 *
 * Letters:
 *   T      largest number of positions of a source or a target
 *   S      number of positions of the current source
 *   d      width of the model
 *   H, k   number of heads; width of a head, d / H
 *   F      inner width of the feed-forward networks
 *   V, N   number of ids, number of blocks
 *   J      number of columns of a pass
 */
#include <string.h>

#include "arch.h"
#include "attention/attention.h"
#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "layers/decoder.h"
#include "layers/sublayers.h"
#include "reader.h"

#define ARCH "transformer"
#define MAX_CONTEXT 32768 /* limit of the context; its square fits 32 bits */

/* ---- config and weights ---------------------------------------------------------------------------------------------- */

/* A stack of blocks. The encoder has one, and the decoder has one. */
typedef struct {
    nx_embedding positions; /* shape (T, d): learned positions */
    uint32_t n_blocks;
    const nx_block *blocks; /* shape (N) */
    nx_norm last;           /* only with pre-norm */
} stack;

typedef struct {
    nx_decoder decoder; /* the decoder's head is the table of ids, (V, d) */
    nx_block_form form; /* form of both stacks' blocks */
    int pre_norm;       /* 1: norms before each sublayer and at the end; 0: norms after each sublayer */
    enum { SINUSOIDAL, LEARNED, NONE } positions;
    const double *frequency; /* shape (d / 2): 10000^(-2i/d), only for sinusoidal positions */
    float epsilon, root;     /* root: sqrt(d) */
    stack reading, writing;  /* the stacks of the encoder and of the decoder */
} model;

/* ---- configure ------------------------------------------------------------------------------------------------------- */

/* name: "enc." or "". */
static void read_stack(nx_reader *reader, const model *m, stack *s, const char *name, uint32_t context, int decodes) {
    if (m->positions == LEARNED) s->positions = nx_read_embedding(reader, nx_joined(name, "position_embd.weight").text, context, m->form.d);
    nx_block_form form = m->form;
    form.cross = decodes;
    s->blocks = nx_read_blocks(reader, name, s->n_blocks, &form);
    if (m->pre_norm) s->last = nx_read_named_norm(reader, nx_joined(name, "output_norm").text, m->decoder.d);
}

static void read_positions(nx_reader *r, model *m) {
    static const char *const types[] = {"sinusoidal", "learned", "none"};
    m->positions = nx_read_choice(r, KEY("position.type"), types, 3);
    if (m->positions != SINUSOIDAL) return;
    double *frequency = nx_arena_take(r->arena, m->decoder.d / 2 * sizeof *frequency);
    for (uint32_t i = 0; frequency && i < m->decoder.d / 2; i++)
        frequency[i] = nx_f64_exp(-9.21034037197618273608 * (2.0 * i / m->decoder.d)); /* ln 10000 */
    m->frequency = frequency;
}

static void configure(nx_reader *r, nx_plan *plan) {
    static const char *const norms[] = {"post", "pre"}, *const activations[] = {"relu"};
    model local, *placed = nx_arena_take(r->arena, sizeof *placed), *m = placed ? placed : &local;
    memset(m, 0, sizeof *m);
    nx_decoder *decoder = &m->decoder;
    r->packing = NX_BY_BLOCK;
    uint32_t context = nx_read_u32(r, KEY("context_length"), 1, MAX_CONTEXT, NX_REQUIRED);
    decoder->n_blocks = m->writing.n_blocks = nx_read_u32(r, KEY("block_count"), 1, 256, NX_REQUIRED);
    m->reading.n_blocks = nx_read_u32(r, KEY("encoder.block_count"), 1, 256, m->writing.n_blocks);
    uint32_t d = decoder->d = nx_read_u32(r, KEY("embedding_length"), 4, 16384, NX_REQUIRED);
    uint32_t inner = nx_read_width(r, KEY("feed_forward_length"), 65536, 4 * d);
    m->form = (nx_block_form){.d = d, .width = d, .inner = inner};
    decoder->heads = decoder->n_kv_heads = nx_read_u32(r, KEY("attention.head_count"), 1, 256, NX_REQUIRED);
    m->epsilon = nx_read_f32(r, KEY("attention.layer_norm_epsilon"), 0, 1, 1e-6f);
    m->root = wasm_f32x4_extract_lane(wasm_f32x4_sqrt(wasm_f32x4_splat((float)d)), 0);
    m->pre_norm = (int)nx_read_choice(r, KEY("norm"), norms, 2);
    nx_read_choice(r, KEY("activation"), activations, 1);
    decoder->key_length = nx_head_width(r, KEY("attention.head_count"), d, decoder->heads);
    read_positions(r, m);

    uint32_t values = nx_read_vocabulary(r, "token_embd.weight");
    decoder->distribution = (nx_output){.kind = NX_CATEGORICAL, .values = values, .elements = 1};
    decoder->tied = 1;
    decoder->head = nx_read_matrix(r, "token_embd.weight", values, d);
    read_stack(r, m, &m->reading, "enc.", context, 0);
    read_stack(r, m, &m->writing, "", context, 1);
    if (m->writing.blocks && !r->status) nx_decoder_cache(decoder, &m->writing.blocks[0].self.key.weight, 0);

    plan->weights = placed;
    plan->encodes = 1;
    plan->inputs[plan->n_inputs++] =
        (nx_port){.name = "source", .values = values, .dims = {context, 1, 1, 1}, .any_length = 1, .like = NX_NONE};
    nx_decoder_plan(r, decoder, context, plan);
    plan->maps[plan->n_maps++] = (nx_map){.name = "source", .port = 0, .rows = decoder->n_blocks * decoder->heads, .keys = context};
    plan->maps[plan->n_maps++] = (nx_map){
        .name = "encoder", .port = 0, .rows = m->reading.n_blocks * decoder->heads, .keys = context, .queries = context, .asking = 0};
}

/* ---- memory: caches of keys and values, and the scratch of a pass ---------------------------------------------------- */

/* Returns the cache of the decoder's block `index`, or the encoder's only cache. caches: the memory of all caches of a stack. */
static nx_cache cache_at(const model *m, const void *caches, uint32_t index, uint32_t positions) {
    return nx_cache_of_block(m->decoder.cache, caches, index, positions);
}

/* The encoder's output. The decoder reads only part of this output; the rest is what the encoder stores between two slices. */
typedef struct {
    void *cross; /* keys and values of the encoder's output: N caches of S positions, one for each decoder block */
    void *self;  /* one cache, for the encoder's self-attention */
    float *x;    /* shape (S, d): the encoder's residual stream */
    uint64_t bytes;
} encoder_output;

static encoder_output source_at(const model *m, const nx_shape *shape, const void *output) {
    uint32_t S = shape->counts[0];
    nx_arena arena = {(void *)output, 0, UINT64_MAX};
    encoder_output s;
    s.cross = nx_arena_take(&arena, m->writing.n_blocks * nx_cache_form_bytes(m->decoder.cache, S));
    s.self = nx_arena_take(&arena, nx_cache_form_bytes(m->decoder.cache, S));
    s.x = nx_arena_columns(&arena, S, m->decoder.d);
    s.bytes = arena.used;
    return s;
}

static uint64_t encoder_output_bytes(const void *opaque, const nx_shape *shape) { return source_at(opaque, shape, NULL).bytes; }

typedef struct {
    nx_sublayers sublayers;
    float *x; /* shape (J, d): the residual stream */
    uint64_t bytes;
} scratch;

static scratch scratch_at(const model *m, const nx_shape *shape, void *memory, uint32_t n) {
    uint32_t window = shape->length > shape->counts[0] ? shape->length : shape->counts[0];
    nx_arena arena = {memory, 0, UINT64_MAX};
    scratch s;
    s.x = nx_arena_columns(&arena, n, m->decoder.d);
    s.sublayers = nx_sublayers_at(&arena, &m->form, m->pre_norm, m->epsilon, window, 1, n);
    s.bytes = arena.used;
    return s;
}

static uint64_t scratch_bytes(const void *opaque, const nx_shape *shape, uint32_t n) { return scratch_at(opaque, shape, NULL, n).bytes; }

/* ---- sublayers ------------------------------------------------------------------------------------------------------- */

/* Computes the embedding of an id (zeros for NX_NONE) plus the embedding of its position. x: shape (d), written. y: scratch memory, shape
 * (d). */
static void embed(const model *m, const stack *of, float *x, float *y, uint32_t id, uint32_t position) {
    memset(x, 0, m->decoder.d * sizeof *x);
    if (id != NX_NONE) {
        nx_matrix_row(y, &m->decoder.head, id);
        nx_add_scaled(x, y, m->root, m->decoder.d);
    }
    if (m->positions == NONE) return;
    if (m->positions == LEARNED) nx_embed(y, &of->positions, position);
    for (uint32_t i = 0; m->positions == SINUSOIDAL && i < m->decoder.d; i += 2) {
        double sine, cosine;
        nx_f64_sincos(position * m->frequency[i / 2], &sine, &cosine);
        y[i] = (float)sine;
        y[i + 1] = (float)cosine;
    }
    nx_add(x, y, m->decoder.d, 1);
}

/* Applies the norm after the last block of a pre-norm stack. */
static void finish(const model *m, const stack *of, float *x, uint32_t n) {
    if (m->pre_norm) nx_norm_columns(&of->last, x, m->epsilon, m->decoder.d, n);
}

/* Computes the decoder's attention to its own earlier positions and the current position. */
static void self_attention(const model *m, const nx_attention_weights *w, uint32_t index, const scratch *of, const nx_column *columns,
                           uint32_t n) {
    const nx_sublayers *s = &of->sublayers;
    uint32_t width = nx_stride(s->width);
    nx_input input = nx_sublayer_input(s, of->x, &w->norm, n);
    nx_apply(s->query, &w->query, &input);
    nx_keys_and_values(s, w, &input);
    nx_decoder_attend(&m->decoder, index, columns, n, 0, 0, &(nx_qkv){s->query, s->key, s->value, width, width}, s->mixed, s->attend);
    nx_sublayer_join(s, of->x, &w->output, s->mixed, &w->norm, n);
}

/* ---- the encoder ----------------------------------------------------------------------------------------------------- */

/* Encodes the source (S), and computes keys and values of the encoder's output for every decoder block. Each slice computes one step for at
 * most NX_COLUMNS columns. The steps, in this order:
 *   1. the embeddings
 *   2. for each block of the encoder: its keys and values, then the block itself
 *   3. for each block of the decoder: its keys and values */
static int encode(const void *opaque, const nx_inputs *inputs, uint32_t slice, void *output, void *scratch_memory) {
    const model *m = opaque;
    uint32_t S = inputs->shape.counts[0];
    uint32_t most = nx_slice_steps(2ull * m->decoder.d * (m->decoder.d + m->form.inner + S), NX_COLUMNS);
    uint32_t passes = (S + most - 1) / most, last_encoded = 2 * m->reading.n_blocks;
    if (slice / passes > last_encoded + m->writing.n_blocks) return 0;
    nx_sublayers s = scratch_at(m, &inputs->shape, scratch_memory, NX_COLUMNS).sublayers;
    encoder_output source = source_at(m, &inputs->shape, output);
    uint32_t step = slice / passes, at = slice % passes * most, n = S - at < most ? S - at : most;
    float *x = source.x + (size_t)at * nx_stride(m->decoder.d);
    nx_cache cache = cache_at(m, source.self, 0, S);
    if (step == 0) {
        for (uint32_t j = 0; j < n; j++)
            embed(m, &m->reading, x + (size_t)j * nx_stride(m->decoder.d), s.y, inputs->port[0][at + j], at + j);
    } else if (step <= last_encoded) {
        uint32_t index = (step - 1) / 2;
        const nx_block *b = m->reading.blocks + index;
        if (step % 2) {
            nx_fill_cache(&s, &b->self, x, at, n, &cache, 1);
        } else {
            float *maps[NX_COLUMNS]; /* the maps have shape (N H, S, S), so a query's rows for successive heads are S * S numbers apart */
            for (uint32_t j = 0; j < n; j++)
                maps[j] = inputs->maps ? inputs->maps + ((size_t)index * m->decoder.heads * S + at + j) * S : NULL;
            nx_source_attention(&s, &b->self, x, &cache, S, n, maps, S * S);
            nx_feed_forward_columns(&s, &b->feed_forward, x, n);
            if (step == last_encoded) finish(m, &m->reading, x, n);
        }
    } else {
        uint32_t index = step - last_encoded - 1;
        cache = cache_at(m, source.cross, index, S);
        nx_fill_cache(&s, &m->writing.blocks[index].cross, x, at, n, &cache, 0);
    }
    return slice + 1 < passes * (last_encoded + 1 + m->writing.n_blocks);
}

/* ---- the decoder ----------------------------------------------------------------------------------------------------- */

/* Returns the address for the source-attention weights of block `index`. In memory, the self-attention weights of all blocks come first. */
static float *source_map(const model *m, const nx_column *column, uint32_t index) {
    const nx_shape *shape = &column->inputs->shape;
    return column->maps + (size_t)m->decoder.heads * (m->writing.n_blocks * shape->length + index * shape->counts[0]);
}

static int forward(const void *opaque, const nx_column *columns, uint32_t n, uint32_t slice, float *parameters, void *memory) {
    const model *m = opaque;
    const nx_shape *shape = &columns[0].inputs->shape;
    scratch s = scratch_at(m, shape, memory, n);
    encoder_output source = source_at(m, shape, columns[0].encoder_output);
    (void)slice; /* a pass is short, so it has one slice */
    for (uint32_t j = 0; j < n; j++) {
        uint32_t at = columns[j].position;
        embed(m, &m->writing, s.x + (size_t)j * nx_stride(m->decoder.d), s.sublayers.y, at ? columns[j].ids[at - 1] : NX_NONE, at);
    }
    nx_keep_hidden(columns, n, 0, s.x, m->decoder.d);
    for (uint32_t i = 0; i < m->writing.n_blocks; i++) {
        const nx_block *b = m->writing.blocks + i;
        nx_cache cache = cache_at(m, source.cross, i, shape->counts[0]);
        float *maps[NX_COLUMNS];
        for (uint32_t j = 0; j < n; j++) maps[j] = columns[j].maps ? source_map(m, columns + j, i) : NULL;
        self_attention(m, &b->self, i, &s, columns, n);
        nx_source_attention(&s.sublayers, &b->cross, s.x, &cache, shape->counts[0], n, maps, shape->counts[0]);
        nx_feed_forward_columns(&s.sublayers, &b->feed_forward, s.x, n);
        nx_keep_hidden(columns, n, i + 1, s.x, m->decoder.d);
    }
    if (!parameters) return 0;
    finish(m, &m->writing, s.x, n);
    nx_input input = nx_input_of(s.x, n, s.sublayers.matmul);
    nx_matmul(parameters, &m->decoder.head, NULL, &input);
    return 0;
}

/* Lists the keys of a map. For a map over the target, the keys are all positions up to the current position: key j is id j - 1, and key 0
 * is the start. For a map over the source, the keys are all positions of the source. */
static uint32_t keys(const void *opaque, const nx_shape *shape, uint32_t map, uint32_t row, uint32_t position, uint32_t *list) {
    (void)opaque, (void)row;
    uint32_t count = map == 0 ? position + 1 : shape->counts[0];
    for (uint32_t i = 0; i < count; i++) list[i] = i;
    return count;
}

static const nx_part part = {
    .encoder_output_bytes = encoder_output_bytes,
    .state_bytes = nx_decoder_state_bytes,
    .grow = nx_decoder_grow,
    .scratch_bytes = scratch_bytes,
    .encode = encode,
    .forward = forward,
    .keys = keys,
};

const nx_arch nx_transformer = {.name = ARCH, .n_parts = 1, .parts = &part, .configure = configure, .streams = 1};
