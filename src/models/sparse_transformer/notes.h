/* SPDX-License-Identifier: MIT
 *
 * The position of a note in music [after MuseNet: Payne 2019, openai.com/research/musenet]. For each id, the file lists the ticks that
 * pass, and the voice and pitch of a note. Three functions of the ids up to position i are added to its embedding:
 *
 *   bar[t / b] + tick[t % b]    t the ticks that have passed, b those of a bar; the last row of `bar` is shared by all later ones
 *   chord[c]                    c the number of ids since time last passed, at most the last row
 *   sum over v of sounding[s]   s the last id of voice v, where it had one
 *
 * Notes that start together share the embedding of their time. t, c and s are stored for each position, so that a position may be entered
 * again.
 */
#ifndef NX_SPARSE_NOTES_H
#define NX_SPARSE_NOTES_H

#include "reader.h"

#define NX_MAX_VOICES 16
#define NX_MAX_NOTES 1024 /* ids */

typedef struct {
    uint32_t values, voices;
    uint32_t bar_ticks;            /* b */
    const uint32_t *ticks, *voice; /* (V) ticks that pass with each id; the voice of each id, from 1, or 0 */
    nx_embedding bar, tick, chord, sounding;
} nx_notes;

/* Reads the keys of architecture `arch` and the tensors, for music of `values` ids and width d. */
void nx_notes_read(nx_reader *r, nx_notes *notes, const char *arch, uint32_t values, uint32_t d);

/* Returns the size of the state for a number of positions. */
uint64_t nx_notes_bytes(const nx_notes *notes, uint32_t positions);

/* Appends the id at position i to the state `kept`, which ends with position i - 1, and adds the rows of the id to x. y: scratch, both
 * (nx_stride(d)). */
void nx_notes_add(const nx_notes *notes, void *kept, uint32_t i, uint32_t id, float *x, float *y, uint32_t d);

#endif
