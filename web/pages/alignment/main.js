// SPDX-License-Identifier: MIT
// Starts the alignment page. Its figures are the batting order, one sentence with five kinds of attention, one network unrolled in time,
// the score functions, and BLEU by sentence length.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createAlignment } from './alignment.js';
import { createBatting } from './batting.js';
import { createExample } from './example.js';
import { createLengths } from './lengths.js';
import { createOneVector } from './one-vector.js';
import { createScoreTable } from './score-table.js';
import { createUnrolled } from './unrolled.js';

createBatting();
const example = createExample();
const scores = createScoreTable(example, (t) => unrolled.choose(t));
const unrolled = createUnrolled(example, (t) => scores.choose(t));
createOneVector();
whenNear(byId('figure-lengths'), createLengths);
startPage(createAlignment(example.take));
