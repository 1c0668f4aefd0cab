// SPDX-License-Identifier: MIT
// The page of reading with a memory: a text that is read word by word, and where each word looks.
// @ts-check
import { startPage } from '../../shell/index.js';
import { createReading } from './reading.js';

startPage(createReading());
