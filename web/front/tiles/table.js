// SPDX-License-Identifier: MIT
// Lists the tiles of the front page. web/pages/NAME/tile.js has the drawing, the model, and the input that a tile offers to visitors.
// @ts-check
import { tile as chorale } from '../../pages/chorale/tile.js';
import { tile as caption } from '../../pages/captions/tile.js';
import { tile as face } from '../../pages/colour/tile.js';
import { tile as digits } from '../../pages/pixelcnn/tile.js';
import { tile as faces } from '../../pages/sagan/tile.js';
import { tile as arcs } from '../../pages/structure/tile.js';
import { tile as story } from '../../pages/tokens/tile.js';
import { tile as bands } from '../../pages/transformer/tile.js';
import { tile as wave } from '../../pages/wavenet/tile.js';
/** @import { Tile } from './stage.js' */

/** Tiles by the name in their data-tile attribute, in the order of the page. @type {Record<string, Tile>} */
export const TILES = { face, bands, arcs, chorale, wave, faces, caption, digits, story };
