// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { rounded } from '../../front/tiles/recording.js';

/** @param {any} model */
export async function record(model) {
  const prompt = 'Once upon a time';
  const tokens = [];
  for await (const { text, nats } of model.generate(prompt, { seed: 1, temperature: 0.7, maxTokens: 48 }))
    tokens.push([text, rounded([nats])[0]]);
  return { prompt, tokens };
}
