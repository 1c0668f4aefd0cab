// SPDX-License-Identifier: MIT
// The page in colour: completed, enlarged, and drawn from nothing but a class.
// @ts-check
import { createClasses, startPage, weights } from '../../shell/index.js';
import { createColour } from './colour.js';
import { createSuperres } from './superres.js';

startPage();
createColour();
createSuperres();
// Temperatures chosen by looking at samples of 0.6 to 1: the emoji model falls silent below 1, for white is always the safest bet at the edge of
// a picture; photographs, of 0.8 to 1, sank into the dark below 1, halfway through the training.
createClasses({
  emoji: { weights: weights('emoji.gguf'), temperature: 1, things: 'emoji' },
  photos: { weights: weights('cifar10.gguf'), temperature: 1, things: 'photographs' },
});
