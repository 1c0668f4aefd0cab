// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
/** @param {any} model */
export async function record(model) {
  const notes = await model.generate({ bars: 4, seed: 2, temperature: 0.9 }).notes();
  const voices = model.info.voices.map((/** @type {any} */ voice) => voice.name ?? voice);
  return {
    voices,
    notes: notes.map((/** @type {any} */ { voice, pitch, start, length }) => [voices.indexOf(voice), pitch, start, length]),
  };
}
