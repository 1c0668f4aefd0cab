/* SPDX-License-Identifier: MIT  See notes.h. */
#include "notes.h"

#include <string.h>

#define MOST_TICKS 4095 /* maximum number of ticks of an id; the ticks of a million ids still fit in 32 bits */
#define MOST_PITCH 127

/* Reads an array with one number for each id. Each number must be at most `most`. */
static const uint32_t *read_of_ids(nx_reader *r, const char *arch, const char *name, uint32_t most, uint32_t values) {
    uint32_t numbers[NX_MAX_NOTES], *placed = nx_arena_take(r->arena, values * sizeof *placed);
    uint32_t count = nx_read_numbers(r, nx_key(arch, name).text, 0, most, numbers, NX_MAX_NOTES);
    if (count != values) nx_reader_fail(r, NX_E_FORMAT, nx_key(arch, name).text, "not a number for each id");
    if (placed && !r->status) memcpy(placed, numbers, values * sizeof *placed);
    return placed;
}

void nx_notes_read(nx_reader *r, nx_notes *notes, const char *arch, uint32_t values, uint32_t d) {
    uint32_t length = nx_read_u32(r, nx_key(arch, "time_length").text, 1, NX_MAX_LENGTH, NX_REQUIRED);
    nx_read_u32(r, nx_key(arch, "notes.ticks").text, 1, MOST_TICKS, NX_REQUIRED); /* only a check: codecs use the ticks of a quarter */
    notes->values = values;
    notes->bar_ticks = nx_read_u32(r, nx_key(arch, "notes.bar").text, 1, MOST_TICKS, NX_REQUIRED);
    if (values > NX_MAX_NOTES) nx_reader_fail(r, NX_E_LIMIT, "token_embd.weight", "too many notes");
    if (r->status) return;
    notes->ticks = read_of_ids(r, arch, "notes.id_ticks", MOST_TICKS, values);
    notes->voice = read_of_ids(r, arch, "notes.id_voices", NX_MAX_VOICES, values);
    read_of_ids(r, arch, "notes.id_pitches", MOST_PITCH, values);
    for (uint32_t id = 0; notes->voice && !r->status && id < values; id++)
        if (notes->voice[id] > notes->voices) notes->voices = notes->voice[id];
    notes->bar = nx_read_embedding(r, "time_bar.weight", (length - 1) / notes->bar_ticks + 1, d);
    notes->tick = nx_read_embedding(r, "time_tick.weight", notes->bar_ticks, d);
    notes->chord = nx_read_embedding(r, "chord_embd.weight", nx_tensor_rows(r, "chord_embd.weight"), d);
    notes->sounding = nx_read_embedding(r, "sounding_embd.weight", values, d);
}

/* The values stored for each position: TIME, CHORD, and SOUNDING for each voice. SOUNDING is the id of the voice's most recent note plus 1,
 * or 0 if the voice has had no note yet. */
enum { TIME, CHORD, SOUNDING };

static uint32_t numbers_of(const nx_notes *notes) { return SOUNDING + notes->voices; }

uint64_t nx_notes_bytes(const nx_notes *notes, uint32_t positions) { return (uint64_t)positions * numbers_of(notes) * sizeof(uint32_t); }

static void enter(const nx_notes *notes, uint32_t *now, uint32_t i, uint32_t id) {
    uint32_t n = numbers_of(notes), ticks = notes->ticks[id], voice = notes->voice[id];
    if (i)
        memcpy(now, now - n, n * sizeof *now);
    else
        memset(now, 0, n * sizeof *now);
    now[TIME] += ticks;
    now[CHORD] = i && !ticks ? now[CHORD] + 1 : 0;
    if (voice) now[SOUNDING + voice - 1] = id + 1;
}

static void add_row(const nx_embedding *table, uint32_t row, float *x, float *y, uint32_t d) {
    nx_embed(y, table, row < table->rows ? row : table->rows - 1);
    nx_add(x, y, d, 1);
}

void nx_notes_add(const nx_notes *notes, void *kept, uint32_t i, uint32_t id, float *x, float *y, uint32_t d) {
    uint32_t *now = (uint32_t *)kept + (size_t)i * numbers_of(notes);
    enter(notes, now, i, id);
    add_row(&notes->bar, now[TIME] / notes->bar_ticks, x, y, d);
    add_row(&notes->tick, now[TIME] % notes->bar_ticks, x, y, d);
    add_row(&notes->chord, now[CHORD], x, y, d);
    for (uint32_t v = 0; v < notes->voices; v++)
        if (now[SOUNDING + v]) add_row(&notes->sounding, now[SOUNDING + v] - 1, x, y, d);
}
