/* SPDX-License-Identifier: MIT
 *
 * Exact speculative decoding [predictive sampling: Wiggers, Hoogeboom 2020, arXiv:2002.09928]. Guesses the next ids. One pass then computes
 * the next position and the position after each guess. The positions are drawn one by one until a drawn id differs from its guess. The
 * noise depends on the position and not on the pass, so a draw after correct guesses is the same as a draw without guesses.
 */
#include <string.h>

#include "draft.h"
#include "session.h"

/* Shortest match that counts: a match of a single id says little about the following ids. */
#define LEAST_AGREEING 2u

/* The success rate of guesses is used only after this many guesses: fewer guesses say little about the next guess. */
#define LEAST_TRIED 16u

int nx_looks_ahead(const nx_layout *l) {
    const nx_session *s = l->session;
    int guesses = l->plan->draft || (NX_TEXTS && s->settings.look_up && l->span == 1);
    return guesses && s->settings.look_ahead > 1 && s->settings.look_ahead <= l->plan->rewinds + 1 && l->samples == 1 &&
           !s->settings.maps && !s->settings.hidden && s->computed <= s->position;
}

/* Returns whether recent guesses were correct so often that computing the columns of new guesses is worth the time. Otherwise, guesses are
 * tried again after a while. */
static int worth_guessing(nx_session *s) {
    if (s->tried <= LEAST_TRIED || s->held >= s->tried / 2) return 1;
    s->tried -= s->tried / 16;
    return 0;
}

/* Assumes that the text repeats itself. Finds the longest earlier match of the text's last ids (on ties, the latest match), and guesses the
 * ids that followed the match. The number of guesses is at most `most`, and at most the length of the match. Returns the number of guessed
 * ids. */
static uint32_t look_up(uint32_t *ids, uint32_t at, uint32_t most) {
    uint32_t longest = 0, from = 0;
    for (uint32_t end = at; --end > 0 && longest < NX_COLUMNS;) {
        uint32_t same = 0;
        while (same < end && same < NX_COLUMNS && ids[end - 1 - same] == ids[at - 1 - same]) same++;
        if (same > longest) longest = same, from = end;
    }
    uint32_t n = longest < LEAST_AGREEING ? 0 : longest < most ? longest : most;
    for (uint32_t i = 0; i < n; i++) ids[at + i] = ids[from + i]; /* the copied ids may be guesses, too */
    return n;
}

/* Guesses the ids of up to `most` positions, beginning with position `at`, by look-up or with the draft. Guessing with the draft stops when
 * the draft is uncertain. Returns the number of guessed ids. */
static uint32_t guess(const nx_layout *l, uint32_t at, uint32_t most) {
    uint32_t values = l->plan->output.values, *ids = nx_ids(l, 0);
    if (NX_TEXTS && !l->plan->draft) return at && most && worth_guessing(l->session) ? look_up(ids, at, most) : 0;
    const float *scored = l->session->settings.temperature == 0 ? l->logits : l->logits + nx_stride(values);
    for (uint32_t i = 0; i < most; i++) {
        nx_draft_logits(l->plan->draft, ids, at + i, l->logits, l->draft);
        ids[at + i] = nx_draw_id(l, 0, at + i, 0);
        if (!(nx_categorical_margin(scored, values, ids[at + i]) >= NX_SURE)) return i;
    }
    return most;
}

/* Returns the number of columns of the next pass. */
static uint32_t window(const nx_layout *l, uint32_t most) {
    const nx_session *s = l->session;
    uint32_t at = s->position, n = l->part->pass_end ? l->part->pass_end(l->plan->weights, at) - at : NX_COLUMNS;
    if (n > most) n = most;
    if (n > s->settings.look_ahead) n = s->settings.look_ahead;
    return 1 + guess(l, at, n - 1);
}

nx_status nx_draw_ahead(const nx_layout *l, uint32_t most, uint32_t *ids, float *nats) {
    nx_session *s = l->session;
    uint32_t at = s->position, n = s->columns ? s->columns : window(l, most), guessed[NX_COLUMNS], *own = nx_ids(l, 0) + at;
    nx_column column[NX_COLUMNS];
    memcpy(guessed, own, n * sizeof *own);
    for (uint32_t j = 0; j < n; j++) column[j] = nx_column_of(l, 0, at + j);
    if (nx_pass(l, column, n, 0, l->pass)) return NX_MORE;
    s->has_output = 1;
    for (uint32_t j = 0, right = 1; j < n && j < most && right; j++) {
        const float *output = l->pass + (size_t)j * l->stride;
        s->computed = at + j + 1;
        memcpy(l->output, output, l->stride * sizeof *output);
        if (!nx_output_finite(&l->plan->output, output)) return nx_broke(s);
        nx_draw_elements(l, 0, at + j, output, ids + j, nats ? nats + j : NULL);
        l->ahead[at + j] = (uint8_t)j;
        s->position = at + j + 1;
        right = own[j] == guessed[j] && !l->ended[0];
        s->held += right && j + 1 < n;
    }
    s->tried += n - 1;
    if (s->tried > 256) s->tried /= 2, s->held /= 2;
    return NX_OK;
}
