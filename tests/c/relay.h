/* SPDX-License-Identifier: MIT
 *
 * The relay is a toy model of two parts. test_results.c uses the relay. The first part, `marks`, does not generate a sequence. It reads
 * words one at a time, and its results are a mark for each word, three floats for each word, and two sums. A hint may replace a mark. The
 * second part is a hasher. Its input has the same name as the first part's first result, and takes the ids of that result.
 */
#ifndef RELAY_H
#define RELAY_H

#include "hasher.h"

#define RELAY_WORDS 40u       /* maximum number of words */
#define RELAY_VALUES 50u      /* every word is below this number */
#define RELAY_MARKS 50u       /* every mark is below this number */
#define RELAY_BREAKS 49u      /* the word at which numbers become non-finite */
#define RELAY_FREE RELAY_MARKS /* the hint that has no effect */

enum { RELAY_OF_MARK, RELAY_OF_FLOATS, RELAY_OF_SUMS, RELAY_RESULTS };

/* Opens a model of the two parts; `config` is for the second part, as in hasher_open. */
nx_model *relay_open(hasher_config *config);

/* Computes the mark and the three floats of word i without the library, for a run without a hint. */
uint32_t relay_mark(const uint32_t *words, uint32_t i, float floats[3]);

#endif
