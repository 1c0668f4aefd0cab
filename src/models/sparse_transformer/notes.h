/* SPDX-License-Identifier: MIT
 *
 * Embeds the musical position of a note [after MuseNet: Payne 2019, openai.com/research/musenet]. For each id, the file lists the number of
 * ticks by which the id advances the time and, if the id is a note, the note's voice and pitch. Three values that depend on the ids up to
 * position i are added to the embedding of position i:
 *
 *   bar[t / b] + tick[t % b]    t: ticks that have passed, b: ticks of a bar; bars beyond the table share its last row
 *   chord[c]                    c: number of ids since the last id with ticks; larger numbers use the last row
 *   sum over v of sounding[s]   s: the last id of voice v; a voice without an id adds nothing
 *
 * Notes that start at the same time have the same t, and so the same sum bar[t / b] + tick[t % b]. The values t, c and s are stored for
 * each position, so that positions can be recomputed.
 */
#ifndef NX_SPARSE_NOTES_H
#define NX_SPARSE_NOTES_H

#include "reader.h"

#define NX_MAX_VOICES 16
#define NX_MAX_NOTES 1024 /* ids */

typedef struct {
    uint32_t values, voices;
    uint32_t bar_ticks;            /* b */
    const uint32_t *ticks, *voice; /* shape (V): ticks by which an id advances the time; voice of an id, counted from 1, or 0 for none */
    nx_embedding bar, tick, chord, sounding;
} nx_notes;

/* Reads the tensors, and the metadata keys of architecture `arch`. values: number of ids; d: width of the model. */
void nx_notes_read(nx_reader *r, nx_notes *notes, const char *arch, uint32_t values, uint32_t d);

/* Returns the size of the state for `positions` positions. */
uint64_t nx_notes_bytes(const nx_notes *notes, uint32_t positions);

/* Appends the id at position i to the state `kept`, which ends with position i - 1 before the call. Then adds the three embeddings of the
 * position to x, and overwrites y. Both x and y have nx_stride(d) numbers. */
void nx_notes_add(const nx_notes *notes, void *kept, uint32_t i, uint32_t id, float *x, float *y, uint32_t d);

#endif
