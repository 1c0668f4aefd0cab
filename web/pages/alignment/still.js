// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page: the attention of each word of a translation.
// @ts-check
import { stillOfWeights, withModel } from '../../front/stills.js';

export const still = () =>
  withModel('seq2seq-general.gguf', async (model) => {
    const rows = [];
    const run = model.translate('Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.', { maps: true });
    for await (const { alignment = [] } of run) rows.push(alignment);
    return stillOfWeights(rows);
  });
