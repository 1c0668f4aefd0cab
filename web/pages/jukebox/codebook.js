// SPDX-License-Identifier: MIT
// Draws the codebooks as pictures. Pressing a code plays its sound. The visitor can also paint a sequence of codes, which is decoded to a
// sound.
// @ts-check
import { byId, fault, phrase } from '../../shell/index.js';
import { playSamples } from './audible.js';
import { createBars } from './bars.js';
import { createSurface, paintWave } from './surface.js';
/** @typedef {ReturnType<typeof import('./stages.js').createStages>} Stages */
/** @import { Level } from './book.js' */

const COLUMNS = 32;

/** @param {Stages} stages */
export function createCodebook(stages) {
  const [choice, said] = [byId('book-level'), byId('book-said')];
  /** @type {HTMLCanvasElement} */
  const canvas = byId('book');
  /** @type {HTMLButtonElement} */
  const hear = /** @type {any} */ (byId('painted-hear'));
  /** @type {HTMLButtonElement} */
  const anew = /** @type {any} */ (byId('painted-anew'));
  let place = 0;
  /** The painted codes, by level. @type {Partial<Record<Level, number[]>>} */
  const painted = {};
  /** @type {Float32Array} */
  let samples = new Float32Array(0);
  let cursor = -1;
  const level = () => /** @type {Level} */ (/** @type {HTMLInputElement} */ (choice.querySelector('input:checked')).value);
  const book = () => stages.books[level()];
  const rows = () => Math.ceil((book()?.count ?? 1) / COLUMNS);
  const again = createSurface(canvas, ({ context, width, height, colour, dark }) => {
    const own = book();
    if (!own) return;
    const [across, down] = [width / COLUMNS, height / rows()];
    own.order.forEach((code, i) => {
      context.fillStyle = own.colour(code, dark);
      context.fillRect((i % COLUMNS) * across, Math.floor(i / COLUMNS) * down, across - 1, down - 1);
    });
    context.strokeStyle = colour('--ink');
    context.lineWidth = 2;
    context.strokeRect((place % COLUMNS) * across, Math.floor(place / COLUMNS) * down, across - 1, down - 1);
  });
  const wave = createSurface(byId('painted-wave'), (surface) => paintWave(surface, samples, { cursor }));

  /** @param {number} at @param {boolean} aloud */
  function point(at, aloud) {
    const own = book();
    if (!own || !stages.model?.info.sampleRate) return;
    place = Math.min(own.count - 1, Math.max(0, at));
    again();
    const code = own.order[place];
    const loud = Math.round(100 * own.loudness(code));
    said.textContent =
      own.level === 'top'
        ? phrase`Code ${code} of the top level: ${loud} % of the loudest, on a decibel scale.`
        : phrase`Code ${code} of the bottom level: ${loud} % of the loudest, on a decibel scale.`;
    if (aloud) void playSamples(own.sounds[code], stages.model.info.sampleRate);
  }
  const at = (/** @type {PointerEvent} */ { offsetX, offsetY }) =>
    Math.floor((offsetY / canvas.clientHeight) * rows()) * COLUMNS +
    Math.min(COLUMNS - 1, Math.floor((offsetX / canvas.clientWidth) * COLUMNS));
  canvas.addEventListener('pointerdown', (event) => point(at(event), true));
  canvas.addEventListener('pointermove', (event) => {
    const next = at(event);
    if (next !== place && event.pointerType === 'mouse') point(next, navigator.userActivation?.hasBeenActive ?? event.buttons === 1);
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    point(place + step, true);
  });

  // The painting initially contains the codes of the first figure.
  const bars = createBars(byId('painted'), {
    onPick(index) {
      const [own, codes] = [book(), painted[level()]];
      if (!own || !codes) return;
      codes[index] = own.order[place];
      bars.show(codes);
      said.textContent = phrase`Position ${index + 1} of ${codes.length} is now code ${own.order[place]}.`;
      void decode();
    },
  });
  let asked = 0;
  async function decode() {
    const [codes, own] = [painted[level()], ++asked];
    if (!codes || !stages.model) return;
    try {
      const { samples: made } = await stages.model.decode({ [level()]: codes });
      if (own !== asked) return;
      samples = made;
      hear.disabled = false;
      byId('painted-result').textContent = codes.join(' ');
      wave();
    } catch (error) {
      said.textContent = `${fault(error)}.`;
    }
  }
  function take() {
    const { staged } = stages;
    const own = book();
    if (!staged || !own) return;
    bars.book = own;
    painted[level()] ??= [...staged[level()]];
    bars.show(painted[level()] ?? []);
    point(place, false);
    anew.disabled = false;
    void decode();
  }
  anew.addEventListener('click', () => {
    delete painted[level()];
    take();
  });
  hear.addEventListener('click', () => {
    const rate = stages.model?.info.sampleRate ?? 8000;
    void playSamples(samples, rate, (seconds) => {
      cursor = seconds < 0 ? -1 : seconds * rate;
      wave();
    });
  });
  choice.addEventListener('change', () => {
    place = 0;
    take();
    again();
  });
  /** @type {unknown} */
  let last;
  stages.on(() => {
    if (stages.staged !== last) for (const name of /** @type {const} */ (['top', 'bottom'])) delete painted[name];
    last = stages.staged;
    take();
    again();
  });
  last = stages.staged;
  take();
}
