/* SPDX-License-Identifier: MIT
 *
 * The relay: a model of two parts for the tests of results. The first, `marks`, has no sequence: it reads words an item at a time and
 * leaves a mark of each, which a hint may say instead, three floats of each, and two sums. The second is a hasher whose port is called
 * like the first result and takes its ids.
 */
#ifndef RELAY_H
#define RELAY_H

#include "hasher.h"

#define RELAY_WORDS 40u       /* the most words */
#define RELAY_VALUES 50u      /* words are below */
#define RELAY_MARKS 50u       /* marks are below */
#define RELAY_BREAKS 49u      /* the word at which numbers break */
#define RELAY_FREE RELAY_MARKS /* the hint that says nothing */

enum { RELAY_OF_MARK, RELAY_OF_FLOATS, RELAY_OF_SUMS, RELAY_RESULTS };

/* A model of the two parts; `config` is of the second, as for hasher_open. */
nx_model *relay_open(hasher_config *config);

/* The mark of word i of n, without a hint, and the floats (3) of it, the long way. */
uint32_t relay_mark(const uint32_t *words, uint32_t i, float floats[3]);

#endif
