// SPDX-License-Identifier: MIT
// Generates pictures from the same latent vectors with two networks, one with attention and one without.
// @ts-check
import { acquire, byId, make, phrase, weights } from '../../shell/index.js';
import { made, show } from './draw.js';
/** @import { Hold } from '../../shell/index.js' */
/** @import { Chosen, createSheet } from './sheet.js' */

/** @param {ReturnType<typeof createSheet>} sheet */
export function createBoth(sheet) {
  const root = byId('both');
  /** @type {HTMLInputElement} */
  const plain = byId('net-plain');
  /** @type {Promise<Hold> | undefined} */
  let other;
  /** @type {Chosen | undefined} */
  let news;
  /** @type {HTMLCanvasElement[]} */
  let canvases = [];
  let turn = 0;

  async function draw() {
    const mine = ++turn;
    if (!news) return;
    const {
      model,
      chosen: { label },
      row,
    } = news;
    try {
      other ??= acquire(weights('sagan-emoji-plain.gguf'));
      const { model: control } = await other;
      // a visitor's model may have another number of classes, or latent vectors of another length
      const fits = control.info.latent === model.info.latent && control.info.classes.length === model.info.classes.length;
      const net = plain.checked && fits ? control : model;
      for await (const { sample, values } of made(net, { latent: row.map(({ latent }) => latent), samples: row.length, label })) {
        if (mine !== turn) return;
        show(canvases[sample], values);
      }
      root.dataset.net = plain.checked ? 'plain' : 'attention'; // tests wait for this attribute
    } catch (error) {
      other = undefined;
      if (mine === turn) sheet.failed(error);
    }
  }

  for (const id of ['net-attention', 'net-plain']) byId(id).addEventListener('change', draw);
  sheet.onChosen((told) => {
    news = told;
    const { width, height } = told.model.info;
    canvases = told.row.map((_, i) =>
      make('canvas', { class: 'pixels', width: String(width), height: String(height), role: 'img', 'aria-label': phrase`Latent ${i + 1}` }),
    );
    root.replaceChildren(...canvases);
    draw();
  });
}
