// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
/** @param {any} model */
export async function record(model) {
  const samples = await model.generate({ label: '7', speaker: 'theo', seed: 8 }).samples();
  const COLUMNS = 220;
  /** @param {(...all: number[]) => number} of */
  const along = (of) =>
    Array.from({ length: COLUMNS }, (_, i) =>
      Math.round(100 * of(...samples.slice(Math.floor((i * samples.length) / COLUMNS), Math.floor(((i + 1) * samples.length) / COLUMNS)))),
    );
  return { seconds: samples.length / model.info.sampleRate, low: along(Math.min), high: along(Math.max) };
}
