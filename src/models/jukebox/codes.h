/* SPDX-License-Identifier: MIT
 *
 * The autoencoder of one level [VQ-VAE: van den Oord, Vinyals, Kavukcuoglu 2017, arXiv:1711.00937]. A stack of convolutions maps every
 * `hop` samples of a sound to a vector h. The code of h is the index k of the nearest vector e_k in the codebook (ties go to the lowest
 * index):
 *
 *   argmin over k of |e_k|^2 / 2 - h . e_k
 *
 * Another stack converts the vectors to samples.
 */
#ifndef NX_JUKEBOX_CODES_H
#define NX_JUKEBOX_CODES_H

#include "models/jukebox/stack.h"

#define NX_MAX_STRIDES 4

typedef struct {
    uint32_t hop, width, codes; /* hop: samples per code; width: numbers per vector; codes: vectors in the codebook */
    nx_stack encoder, decoder;
    nx_linear book; /* shape (codes, width): the vectors e, and -|e|^2 / 2 as their biases */
} nx_codes;

/* Reads a level, "top" or "bottom", of architecture `arch`. The first function reads the level's keys and encoder, and the second function
 * reads its decoder. Both functions count their weights as weights of part r->part. */
void nx_codes_read_encoder(nx_reader *r, nx_codes *level, const char *arch, const char *name);
void nx_codes_read_decoder(nx_reader *r, nx_codes *level, const char *arch, const char *name);

/* Returns the number of codes of a sound with this many samples. The sound is padded with silence to a whole number of codes. */
static inline uint32_t nx_codes_of(const nx_codes *level, uint32_t samples) { return (samples + level->hop - 1) / level->hop; }

/* Computes the n codes of a sound, one slice per call (slice = 0, 1, ...). Returns 1 while there are more slices, 0 after the last slice,
 * and -1 if a score is not finite.
 * rows     two buffers of nx_stack_room(&level->encoder, n hop) floats; rows[0] holds the samples, shape (n hop)
 * codes    shape (n), written */
int nx_codes_encode(const nx_codes *level, uint32_t n, float *rows[2], uint32_t *codes, uint32_t slice, void *scratch);

/* Computes the samples of the given codes, shape (n), slice by slice like nx_codes_encode; also returns -1 if a code is too large. After
 * the last slice, nx_stack_output(&level->decoder, rows) returns the samples. rows: two buffers of nx_stack_room(&level->decoder, n)
 * floats. */
int nx_codes_decode(const nx_codes *level, uint32_t n, float *rows[2], const uint32_t *codes, uint32_t slice, void *scratch);

uint64_t nx_codes_encode_scratch_bytes(const nx_codes *level);

#endif
