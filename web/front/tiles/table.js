// SPDX-License-Identifier: MIT
// Lists the tiles of the front page. web/pages/NAME/tile.js defines a tile's drawing, its model, and the input that it offers to visitors.
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

/** The tiles, in the order of the page. Each key is the data-tile attribute of its tile. @type {Record<string, Tile>} */
export const TILES = { face, bands, arcs, chorale, wave, faces, caption, digits, story };
