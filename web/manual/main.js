// SPDX-License-Identifier: MIT
// Keeps the manual for a visit without a connection. It is served as it is: no bundle is made of it.
// @ts-check
import { workOffline } from '../shell/offline.js';

workOffline();
