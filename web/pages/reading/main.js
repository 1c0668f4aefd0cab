// SPDX-License-Identifier: MIT
// Starts the page of reading with a memory: a text is read word by word, and each word's attention is shown.
// @ts-check
import { startPage } from '../../shell/index.js';
import { createReading } from './reading.js';

startPage(createReading());
