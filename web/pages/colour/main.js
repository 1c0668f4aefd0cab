// SPDX-License-Identifier: MIT
// Starts the colour page. Its models complete pictures, enlarge pictures, and draw whole pictures of a given class.
// @ts-check
import { acquire, asked, createClasses, introduce, phrase, startPage, weights } from '../../shell/index.js';
import { createColour } from './colour.js';
import { createSuperres } from './superres.js';

startPage();
const [colour, superres] = [createColour(), createSuperres()];
// The temperatures were chosen by looking at samples. For emoji, values from 0.6 to 1 were tried. Below 1, pictures stay blank, because
// white is always the most probable value at the edge of a picture. For photographs, values from 0.8 to 1 were tried with weights from the
// middle of the training. Below 1, pictures were dark.
createClasses({
  emoji: { weights: weights('emoji.gguf'), temperature: 1, things: phrase`emoji` },
  photos: { weights: weights('cifar10.gguf'), temperature: 1, things: phrase`photographs` },
});

/**
 * Loads the model whose address the page's URL contains, and passes the address to the figure that can use this model. If the model cannot
 * be loaded, passes the address to the first figure, which reports the reason.
 * @param {string} address
 */
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
