/* SPDX-License-Identifier: MIT
 *
 * Conversions between pictures and ids, for C programs that show pictures. A file's metadata give the size of a picture and the meaning of
 * its ids. These functions convert between ids and 8-bit values, in generation order. The engine does not use them.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "attention/attention.h"
#include "nextpixel.h"

/* Description of an image model, from its metadata and its part. */
typedef struct {
    uint32_t height, width, channels, levels;
    uint32_t positions, position_elements, elements; /* number of positions, of values per position (E), and of values in a picture */
    uint32_t classes, blocks, heads, outputs;
    uint32_t rows, window; /* rows and keys per row of the first map; 0: no map, or a map that is too large to show */
    uint32_t query_block, memory_block, block_rows, block_cols, flange_rows, flange_cols;
    uint32_t input_height, input_width;
    uint32_t palette, draft; /* 0 or 1 */
} picture_info;

/* The settings of a run (nx_settings), plus the class. */
typedef struct {
    uint32_t seed_low, seed_high, samples, first_sample;
    int32_t label; /* a class, or -1 for none */
    float temperature;
    uint32_t top_k;
    float top_p;
    uint32_t maps, look_ahead;
} picture_settings;

void picture_info_of(const nx_model *model, picture_info *info);
nx_settings picture_engine_settings(const picture_settings *settings);

/* Returns the raster index of each position. */
void picture_order(const nx_model *model, uint32_t *raster);

/* Writes the palette as bytes, shape (levels, 3). Returns NX_E_ARGUMENT if the model has no palette. */
nx_status picture_palette(const nx_model *model, uint8_t *rgb);

/* These functions convert an 8-bit value to an id, and an id to an 8-bit value. */
uint32_t picture_id(const picture_info *info, uint32_t value);
uint8_t picture_value(const picture_info *info, uint32_t id);

/* These functions are like nx_session_size, _open, _input (followed by _encode), _put, _draw and _map, but use 8-bit values instead of ids.
 * picture_prefill reports the nats of the first sample. picture_attention returns all rows of the model's first map. */
nx_status picture_size(const nx_model *model, const picture_settings *settings, size_t *bytes);
nx_status picture_open(void *block, size_t bytes, const nx_model *model, const picture_settings *settings, nx_session **session);
nx_status picture_condition(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count);
nx_status picture_prefill(const nx_model *model, nx_session *session, const uint8_t *values, uint32_t count, float *nats);
nx_status picture_step(const nx_model *model, nx_session *session, uint32_t steps, uint8_t *values, float *nats);
nx_status picture_attention(const nx_model *model, const nx_session *session, uint32_t sample, float *weights, uint32_t *keys, uint32_t *count);

#endif
