// SPDX-License-Identifier: MIT
// The colour page: pictures completed, enlarged, and drawn from a class alone.
// @ts-check
import { acquire, asked, createClasses, introduce, phrase, startPage, weights } from '../../shell/index.js';
import { createColour } from './colour.js';
import { createSuperres } from './superres.js';

startPage();
const [colour, superres] = [createColour(), createSuperres()];
// Temperatures chosen by looking at samples of 0.6 to 1: the emoji model falls silent below 1, for white is always the safest bet at the edge of
// a picture; photographs, of 0.8 to 1, sank into the dark below 1, halfway through the training.
createClasses({
  emoji: { weights: weights('emoji.gguf'), temperature: 1, things: phrase`emoji` },
  photos: { weights: weights('cifar10.gguf'), temperature: 1, things: phrase`photographs` },
});

/** The model of the page's address goes to the figure that it suits; what cannot be loaded, to the first, which says why. @param {string} address */
async function show(address) {
  const hold = await acquire(address, { workers: 'auto' }).catch(() => undefined);
  const [section, other] = hold?.model.info.verbs.includes('superResolve') ? [superres, colour] : [colour, superres];
  if (hold) introduce(hold.model);
  other.openWhenNear();
  await section.takeModel(address);
  hold?.release();
}

if (asked) show(asked);
else for (const section of [colour, superres]) section.openWhenNear();
