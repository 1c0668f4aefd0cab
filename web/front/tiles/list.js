// SPDX-License-Identifier: MIT
// Generated from web/pages/*/page.html by node web/tools/options.js: edit those files.
// @ts-check
import { tile as captions } from '../../pages/captions/tile.js';
import { tile as chorale } from '../../pages/chorale/tile.js';
import { tile as colour } from '../../pages/colour/tile.js';
import { tile as pixelcnn } from '../../pages/pixelcnn/tile.js';
import { tile as sagan } from '../../pages/sagan/tile.js';
import { tile as structure } from '../../pages/structure/tile.js';
import { tile as tokens } from '../../pages/tokens/tile.js';
import { tile as transformer } from '../../pages/transformer/tile.js';
import { tile as wavenet } from '../../pages/wavenet/tile.js';
/** @import { Tile } from './stage.js' */

/** The tiles by the names of their pages, in the order of the front page. @type {Record<string, Tile>} */
export const TILES = { colour, transformer, structure, chorale, wavenet, sagan, captions, pixelcnn, tokens };
