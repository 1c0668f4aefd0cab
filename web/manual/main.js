// SPDX-License-Identifier: MIT
// Adds copy buttons to code, and makes the manual available without a connection. This file is served unchanged; it is not bundled.
// @ts-check
import { copyCode } from '../shell/page/copy.js';
import { workOffline } from '../shell/page/offline.js';
import { searchManual } from './search.js';

copyCode();
searchManual();
workOffline();
