// SPDX-License-Identifier: MIT
// Starts the SNAIL page. Its figures are the classification of characters, the diagram of layers, and the game.
// @ts-check
import { startPage } from '../../shell/index.js';
import { createAsk } from './ask.js';
import { createGame } from './game.js';
import { createLayers } from './layers.js';

const layers = createLayers();
/** @type {ReturnType<typeof createGame> | undefined} */
let game;
startPage(
  createAsk({
    onAnswer(maps) {
      layers.maps = maps;
    },
    onModel(model, sign) {
      game ??= createGame(sign);
      game.model = model;
    },
  }),
);
