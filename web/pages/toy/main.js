// SPDX-License-Identifier: MIT
// A page of its own folder and one line.
// @ts-check
import { createEndings, createStore, initialState, startPage } from '../../shell/index.js';

startPage(createEndings(createStore(initialState()), 'fvsbn').load());
