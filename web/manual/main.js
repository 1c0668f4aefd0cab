// SPDX-License-Identifier: MIT
// Lets code be copied, and keeps the manual for a visit without a connection. It is served as it is: no bundle is made of it.
// @ts-check
import { copyCode } from '../shell/page/copy.js';
import { workOffline } from '../shell/page/offline.js';
import { searchManual } from './search.js';

copyCode();
searchManual();
workOffline();
