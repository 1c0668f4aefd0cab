// SPDX-License-Identifier: MIT
// Generated from web/lib/kinds/*/kind.js by node web/tools/options.js: edit those files.
// @ts-check

import { kind as caption } from './caption/kind.js';
import { kind as code } from './code/kind.js';
import { kind as head } from './head/kind.js';
import { kind as latent } from './latent/kind.js';
import { kind as note } from './note/kind.js';
import { kind as picture } from './picture/kind.js';
import { kind as sign } from './sign/kind.js';
import { kind as sound } from './sound/kind.js';
import { kind as tag } from './tag/kind.js';
import { kind as text } from './text/kind.js';

/** @import { Kind } from './index.js' */

/** The kinds in the order in which a file is checked against them: the first one that fits is used. @type {Kind[]} */
export const KINDS = [caption, code, head, note, sign, latent, picture, sound, tag, text];
