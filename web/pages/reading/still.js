// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page: the attention of each token of a text that the model reads.
// @ts-check
import { stillOfWeights, withModel } from '../../front/stills.js';
import { looksOf } from './looks.js';

export const still = () =>
  withModel('lstmn.gguf', async (model) => {
    const rows = [];
    const ids = model.tokenizer.encode('The king had three sons, and the youngest of them was called Simpleton.');
    for await (const [map] of looksOf(model, ids, new AbortController().signal)) rows.push(map?.weights ?? []);
    return stillOfWeights(rows);
  });
