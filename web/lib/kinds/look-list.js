// SPDX-License-Identifier: MIT
// Generated from web/lib/kinds/*/kind.js by node web/tools/options.js: edit those files.
// @ts-check

import { look as caption } from './caption/look.js';
import { look as code } from './code/look.js';
import { look as head } from './head/look.js';
import { look as latent } from './latent/look.js';
import { look as note } from './note/look.js';
import { look as picture } from './picture/look.js';
import { look as sign } from './sign/look.js';
import { look as sound } from './sound/look.js';
import { look as tag } from './tag/look.js';
import { look as text } from './text/look.js';

/** @import { Look } from './looks.js' */

/** The looks of models, by `info.kind`. @type {Record<string, Look>} */
export const LOOKS = { caption, code, head, latent, note, picture, sign, sound, tag, text };
