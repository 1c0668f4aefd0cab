// SPDX-License-Identifier: MIT
// A toy page: a digit and three endings.
// @ts-check
import { createEndings, createStore, initialState, startPage } from '../../shell/index.js';

startPage(createEndings(createStore(initialState()), 'fvsbn').load());
