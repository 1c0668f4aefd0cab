// SPDX-License-Identifier: MIT
// Starts the page about memory networks. Models read a text word by word, and the page shows the attention of each word.
// @ts-check
import { startPage } from '../../shell/index.js';
import { createReading } from './reading.js';

startPage(createReading());
