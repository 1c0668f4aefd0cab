// SPDX-License-Identifier: MIT
// Draws the figure about the kinds of models. The figure shows which kinds solve a chosen task, and draws pictures with the two kinds that
// differ most.
// @ts-check
import {
  Codec,
  acquireAll,
  announce,
  byId,
  createLoading,
  integer,
  palette,
  onTheme,
  phrase,
  time,
  weights,
  whenNear,
} from '../../shell/index.js';
/** @import { Model } from '../../shell/index.js' */

const FILES = ['pixelcnn-digits.gguf', 'sagan-emoji.gguf'];
/** The slider sets the first number of the latent vector, from -REACH to REACH. */
const REACH = 3;

export function createKinds() {
  const rows = /** @type {HTMLElement[]} */ ([...byId('kinds-rows').children]);
  const questions = /** @type {HTMLSelectElement[]} */ ([...document.querySelectorAll('#kinds-questions select')]);
  const said = byId('kinds-said');
  /** @type {HTMLInputElement} */
  const seed = byId('kinds-seed');
  /** @type {HTMLInputElement} */
  const first = byId('kinds-first');
  const notes = [byId('kinds-line-said'), byId('kinds-once-said')];
  const canvases = /** @type {HTMLCanvasElement[]} */ ([byId('kinds-line'), byId('kinds-once')]);
  /** @type {Model[]} */
  let models = [];
  /** The last picture that each model has drawn. @type {(Uint8Array | undefined)[]} */
  const shown = [undefined, undefined];
  let turned = false;
  let stopper = new AbortController();

  function choose() {
    let fitting = 0;
    for (const row of rows) {
      const fits = questions.every(({ name, value }) => value === '' || (row.dataset[name] ?? '').split(' ').includes(value));
      row.classList.toggle('unfit', !fits);
      fitting += Number(fits);
    }
    said.textContent =
      fitting === 0
        ? phrase`No kind does all of this.`
        : fitting === 1
          ? phrase`1 kind of ${rows.length} does this.`
          : phrase`${fitting} kinds of ${rows.length} do this.`;
  }

  function paint() {
    shown.forEach((values, k) => {
      const context = canvases[k].getContext('2d');
      if (!values || !context || !models[k]) return;
      const { width, height, channels } = models[k].info;
      Object.assign(canvases[k], { width, height });
      const { predicted } = palette();
      for (let i = 0; i < width * height; i++) {
        context.fillStyle = channels === 1 ? predicted[values[i]] : `rgb(${values[3 * i]} ${values[3 * i + 1]} ${values[3 * i + 2]})`;
        context.fillRect(i % width, Math.floor(i / width), 1, 1);
      }
    });
  }

  /**
   * Draws both pictures with the same seed, or only the second picture if only the latent vector of that picture has changed.
   *
   * @param {boolean} both
   */
  async function draw(both) {
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    const [line, once] = models;
    if (!line) return;
    byId('kinds-seed-said').textContent = seed.value;
    try {
      if (both) {
        const { positions, channels, width, height } = line.info;
        const codec = new Codec(line.info, line.order);
        const values = new Uint8Array(width * height * channels);
        let nats = 0;
        const began = performance.now();
        for await (const step of line.generate({ seed: Number(seed.value), samples: 1, signal })) {
          step.values.forEach((value, i) => {
            values[codec.place(step.from + i)] = value;
          });
          nats = step.nats.reduce((sum, n) => sum + n, nats);
        }
        shown[0] = values;
        notes[0].textContent = phrase`${integer(positions)} passes, ${time(performance.now() - began)}. The cost of the picture under the model is ${nats.toFixed(1)} nats.`;
      }
      const began = performance.now();
      const options = { seed: Number(seed.value), samples: 1, signal };
      for await (const step of once.generate(options)) {
        const latent = Float32Array.from(/** @type {any} */ (step).latent);
        let values = step.values;
        if (turned) {
          latent[0] = Number(first.value);
          for await (const other of once.generate({ latent: [latent], label: /** @type {any} */ (step).label, signal }))
            values = other.values;
        } else {
          first.value = String(Math.max(-REACH, Math.min(REACH, latent[0])));
        }
        byId('kinds-first-said').textContent = Number(first.value).toFixed(2).replace('-', '−');
        shown[1] = values;
        notes[1].textContent = phrase`1 pass, ${time(performance.now() - began)}, from ${latent.length} random numbers. The model cannot compute the probability of the picture.`;
      }
      paint();
      announce(notes.map(({ textContent }) => textContent).join(' '));
    } catch (error) {
      if (!signal.aborted) loading.failed(error);
    }
  }

  const loading = createLoading(byId('kinds-load'), {
    acquire: (options) => acquireAll(FILES.map(weights), options),
    onModels(loaded) {
      models = loaded;
      draw(true);
    },
    onLost() {
      models = [];
    },
  });
  for (const question of questions) question.addEventListener('change', choose);
  seed.addEventListener('input', () => {
    turned = false;
    draw(true);
  });
  first.addEventListener('input', () => {
    turned = true;
    draw(false);
  });
  onTheme(paint);
  choose();
  whenNear(byId('figure-kinds'), loading.load);
}
