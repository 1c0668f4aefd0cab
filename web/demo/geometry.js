// SPDX-License-Identifier: MIT
// The figure of local attention: two pictures that draw themselves, one in strips and one in blocks, and what each pixel sees.
// @ts-check
import { acquire } from '../lib/shared.js';
import { announce } from '../lib/status.js';
import { byId, make, perFrame, reducedMotion } from './dom.js';
import { askable } from './geometry-ask.js';
import { createChart } from './geometry-chart.js';
import { paintGeometry } from './geometry-paint.js';
import { Track, createPlayer } from './geometry-run.js';
import { inSight } from './in-sight.js';
import { createLoading } from './loading.js';
import { onTheme } from './palette.js';
import { loadPictures } from './pictures.js';
import { createSeedField } from './seed-field.js';
import { integer } from './words.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Model } from '../lib/model.js' */
/** @import { Hold } from '../lib/shared.js' */
/** @import { Progress } from '../lib/source.js' */
/** @import { Place } from './geometry-ask.js' */
/** @import { Geometry } from './geometry-pattern.js' */
/** @import { Phase } from './geometry-run.js' */
/** @import { Subject } from './pictures.js' */

/** @param {string} file */
const weights = (file) => new URL(`../../weights/${file}`, import.meta.url).href;
/** The first of these that is there draws in one dimension, from nothing; the other one in two, from a small picture. */
const ONE = [weights('emoji.gguf'), weights('digits.gguf')];
const TWO = weights('emoji-sr.gguf');
/** At 1 the odds are as the model has them; enlarging is helped by a little caution. */
const TEMPERATURES = { one: 1, two: 0.9 };
/** Pixels per second of each picture. */
const SPEEDS = [2, 5, 12, 30, 80, 250, Infinity];
/** Sides of square pictures that the table compares. */
const SIDES = [32, 64, 256];

const GLYPHS = { run: 'M4 2.5v11l9.5-5.5z', pause: 'M3 2.5h3.5v11H3zM9.5 2.5H13v11H9.5z' };

/** @param {number} rows @param {number} cols */
const times = (rows, cols) => `${rows}\u2009×\u2009${cols}`;

/** @param {string} url */
const exists = (url) => fetch(url, { method: 'HEAD' }).then(({ ok }) => ok, () => false);

/** The sum of two downloads, for one bar. @param {(progress: Progress) => void} report @param {number} count */
function together(report, count) {
  const parts = Array.from({ length: count }, () => /** @type {Progress} */ ({ loaded: 0 }));
  return parts.map((_, i) => (/** @type {Progress} */ progress) => {
    parts[i] = progress;
    const loaded = parts.reduce((sum, part) => sum + part.loaded, 0);
    // The sum is known when both are.
    const total = parts.every((part) => part.total) ? parts.reduce((sum, part) => sum + Number(part.total), 0) : undefined;
    report({ loaded, total });
  });
}

/**
 * All of these models, or none.
 * @param {string[]} urls
 * @param {{ onProgress: (progress: Progress) => void, signal: AbortSignal }} options
 * @returns {Promise<Hold[]>}
 */
async function acquireAll(urls, { onProgress, signal }) {
  const stopper = new AbortController();
  signal.addEventListener('abort', () => stopper.abort(signal.reason), { once: true });
  const reports = together((progress) => { if (!stopper.signal.aborted) onProgress(progress); }, urls.length);
  const asked = urls.map((url, i) => acquire(url, { signal: stopper.signal, onProgress: reports[i] }));
  try {
    return await Promise.all(asked);
  } catch (error) {
    stopper.abort();
    for (const one of asked) one.then(({ release }) => release(), () => {});
    throw error;
  }
}

/** Loads what there is and makes the figure. */
export async function createGeometry() {
  /** @type {ReturnType<typeof createFigure> | undefined} */
  let figure;
  /** @type {Hold[]} */
  let holds = [];
  const loading = createLoading(
    async (options) => {
      const [one, two] = await Promise.all([exists(ONE[0]), exists(TWO)]);
      const urls = [one ? ONE[0] : ONE[1], ...(two ? [TWO] : [])];
      const emoji = two ? await loadPictures('emoji') : [];
      holds = await acquireAll(urls, options);
      figure ??= createFigure({
        onRun: () => loading.clear(),
        onError(error) {
          const { code, message } = /** @type {NextPixelError} */ (error);
          // A model whose worker has gone cannot be asked again.
          const lost = code === 'trap' || code === 'closed';
          if (lost) {
            for (const hold of holds) hold.discard();
            figure?.use([], []);
          }
          loading.fail(`The run stopped. ${message}`, lost);
        },
      });
      return { models: holds.map(({ model }) => model), emoji };
    },
    ({ models, emoji }) => figure?.use(models, emoji),
    'geometry-load',
  );
  loading.start();
}

/** @param {{ onRun: () => void, onError: (error: unknown) => void }} hooks */
function createFigure({ onRun, onError }) {
  /** @type {HTMLButtonElement} */
  const run = byId('geometry-run');
  /** @type {HTMLButtonElement} */
  const next = byId('geometry-next');
  /** @type {HTMLButtonElement} */
  const again = byId('geometry-again');
  /** @type {HTMLInputElement} */
  const scrubber = byId('geometry-step');
  /** @type {HTMLInputElement} */
  const speed = byId('geometry-speed');

  /**
   * What the visitor asks about: a step of both pictures, or a place of one (and of the other, if it is as large).
   * @type {{ step: number } | { place: Place, by: Panel } | null}
   */
  let asked = null;
  /** @type {ReturnType<typeof createChart> | undefined} */
  let chart;
  /** @type {Panel[]} */
  let panels = [];

  const player = createPlayer({ onPhase: showPhase, onChange: () => redraw(), onError });
  const seed = createSeedField(byId('geometry-seed'), byId('geometry-dice'), start);
  const redraw = perFrame(draw);

  /** @typedef {ReturnType<typeof createPanel>} Panel */

  /** One picture with its name and its numbers. @param {Track} track @param {{ name: string, detail: string, source?: HTMLCanvasElement }} texts */
  function createPanel(track, { name, detail, source }) {
    const canvas = make('canvas', { role: 'img' });
    const note = make('p', { class: 'panel-note' });
    const frame = askable(canvas, {
      label: `${name}. Arrow keys ask what a pixel sees.`,
      grid: () => track.geometry,
      first: () => (player.head > 0 ? track.geometry.at(Math.min(player.head, track.geometry.positions) - 1) : null),
      onPlace: (place) => ask({ place, by: panel }),
      onLeave: () => ask(null),
    });
    const stage = make('div', { class: 'stage geometry-stage' }, frame);
    const heading = make('p', { class: 'panel-name' }, make('b', {}, name), make('span', {}, detail));
    const foot = make('div', { class: 'geometry-foot' }, note, ...(source ? [make('div', { class: 'geometry-source' }, source, 'given')] : []));
    const panel = { track, canvas, note, root: make('div', { class: 'panel geometry-panel' }, heading, stage, foot) };
    return panel;
  }

  /** @param {typeof asked} what */
  function ask(what) {
    asked = what;
    redraw();
  }

  /** The position whose query a picture shows; -1: none. @param {Panel} panel */
  function queryOf(panel) {
    const { geometry } = panel.track;
    if (asked && 'step' in asked) return Math.min(asked.step, geometry.positions - 1);
    if (asked) {
      const { rows, cols } = asked.by.track.geometry;
      if (asked.by === panel || (rows === geometry.rows && cols === geometry.cols)) {
        return geometry.stepAt[asked.place.row * geometry.cols + asked.place.col];
      }
    }
    return player.head < geometry.positions ? player.head : -1;
  }

  function draw() {
    let marked = player.head < player.total ? player.head : -1;
    for (const panel of panels) {
      const { track, canvas, note } = panel;
      const { geometry } = track;
      const query = queryOf(panel);
      const drawn = Math.min(player.head, geometry.positions);
      paintGeometry(canvas, { track, drawn, query, trail: !asked });
      canvas.setAttribute('aria-label', `${integer(drawn)} of ${integer(geometry.positions)} pixels drawn`);
      if (query < 0) {
        note.replaceChildren(make('b', {}, 'Drawn.'), ' Point at a pixel to ask what it saw.');
        continue;
      }
      if (asked && ('step' in asked || asked.by === panel)) marked = query;
      const { elements, own, memory } = geometry.seen(query);
      const { row, col } = geometry.at(query);
      note.replaceChildren(
        make('b', {}, `Sees ${integer(elements.length)}`), `: ${integer(own)} of its block, ${integer(memory)} of its memory. `,
        make('span', { class: 'geometry-where' }, `Step ${integer(query + 1)}: row ${row + 1}, column ${col + 1}.`),
      );
      // Whoever walks over a picture with the keyboard hears what is under the cursor.
      if (asked && 'place' in asked && asked.by === panel && document.activeElement?.contains(canvas)) announce(note.textContent ?? '', 400);
    }
    chart?.mark(marked);
    const step = asked && 'step' in asked ? asked.step : marked < 0 ? player.total - 1 : marked;
    if (document.activeElement !== scrubber || !asked) scrubber.value = String(step);
    const text = `Step ${integer(step + 1)} of ${integer(player.total)}`;
    byId('geometry-step-text').textContent = text;
    scrubber.setAttribute('aria-valuetext', [text, ...panels.map(({ note }) => note.textContent)].join('. '));
  }

  /** @param {Phase} phase */
  function showPhase(phase) {
    run.disabled = next.disabled = scrubber.disabled = phase === 'empty';
    again.disabled = phase === 'empty' || phase === 'ready';
    byId('geometry-run-text').textContent = phase === 'running' ? 'Pause' : phase === 'paused' ? 'Continue' : 'Run';
    byId('geometry-run-glyph').setAttribute('d', phase === 'running' ? GLYPHS.pause : GLYPHS.run);
    run.classList.toggle('primary', phase !== 'done');
    again.classList.toggle('primary', phase === 'done');
    const focused = document.activeElement === run;
    run.hidden = phase === 'done';
    if (run.hidden && focused) again.focus(); // the button that had the focus is gone now
    if (phase === 'running' || phase === 'paused') onRun();
    if (phase === 'done') announce('Both pictures are drawn.');
  }

  function start() {
    player.seed = seed.value;
    asked = null;
    player.start();
  }

  run.addEventListener('click', () => {
    asked = null;
    if (player.phase === 'running') player.pause();
    else if (player.phase === 'paused') player.resume();
    else start();
  });
  next.addEventListener('click', () => {
    asked = null;
    player.seed = seed.value;
    player.step();
  });
  again.addEventListener('click', () => {
    start();
    run.focus(); // after the end this button takes the place of the other
  });
  scrubber.addEventListener('input', () => {
    player.pause();
    ask({ step: Number(scrubber.value) });
  });
  const showSpeed = () => {
    const n = SPEEDS[Number(speed.value)];
    const text = n === Infinity ? 'as fast as it goes' : `${n} pixels a second`;
    byId('geometry-speed-text').textContent = reducedMotion() ? `${text} (not used: your system asks for less motion)` : text;
    speed.setAttribute('aria-valuetext', text);
    player.speed = n;
  };
  speed.max = String(SPEEDS.length - 1);
  speed.addEventListener('input', showSpeed);
  showSpeed();
  onTheme(redraw);
  new ResizeObserver(redraw).observe(byId('geometry-panels'));

  // Only what can be seen is drawn. What was cut short goes on when it is back.
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    // A picture that draws itself is motion that nobody asked for.
    if (!cut || !sight.seen || reducedMotion()) return;
    if (player.phase === 'ready') start();
    else if (player.phase === 'paused') player.resume();
    else return;
    cut = false;
  };
  const sight = inSight(byId('geometry-panels'), {
    onSeen: proceed,
    onAway() {
      if (player.phase !== 'running') return;
      player.pause();
      cut = true;
    },
  });
  for (const button of [run, next, again]) button.addEventListener('click', () => { cut = false; });

  return {
    /** @param {Model[]} models one, two, or none: they are gone @param {Subject[]} emoji */
    use(models, emoji) {
      asked = null;
      const [one, two] = models;
      if (!one) {
        player.use([]);
        return;
      }
      player.seed = seed.value;
      panels = [createPanel(new Track(one, (options) => one.generate({ ...options, temperature: TEMPERATURES.one })), {
        name: 'In one dimension', detail: `block ${integer(one.info.queryBlock)}, memory ${integer(one.info.memoryBlock)}`,
      })];
      if (two) {
        const { blockRows, blockCols, flangeRows, flangeCols, inputWidth, inputHeight } = two.info;
        const small = make('canvas', { width: String(inputWidth), height: String(inputHeight), role: 'img' });
        panels.push(createPanel(new Track(two, (options) => {
          const { name, image, label } = emoji[Number(options.seed) % emoji.length];
          const enlarged = two.superResolve(image, {
            ...options, temperature: TEMPERATURES.two, label: label && two.info.classes.includes(label) ? label : null,
          });
          showSmall(small, /** @type {Uint8Array} */ (enlarged.input));
          small.setAttribute('aria-label', `${name}, reduced to ${inputWidth} by ${inputHeight}: what the second picture starts from`);
          return enlarged;
        }), {
          name: 'In two dimensions', source: small,
          detail: `block ${times(blockRows, blockCols)}, flange ${flangeRows === flangeCols ? flangeRows : times(flangeRows, flangeCols)}`,
        }));
      }
      byId('geometry-panels').replaceChildren(...panels.map(({ root }) => root));
      byId('geometry-panels').classList.toggle('alone', !two);
      for (const element of document.querySelectorAll('.with-2d')) /** @type {HTMLElement} */ (element).hidden = !two;
      player.use(panels.map(({ track }) => track));
      scrubber.max = String(player.total - 1);
      compare(panels.map(({ track }) => track.geometry));
      chart = createChart(byId('geometry-chart'), [
        { name: 'everything before', kind: 'all', count: (step) => step + 1, positions: player.total },
        ...panels.map(({ track: { geometry } }) => ({
          name: geometry.is2d ? 'two dimensions' : 'one dimension', kind: geometry.is2d ? 'two' : 'one',
          count: (/** @type {number} */ step) => geometry.count(step), positions: geometry.positions,
        })),
      ]);
      redraw();
      announce('The models of local attention are loaded.');
      proceed();
    },
  };
}

/** @param {HTMLCanvasElement} canvas @param {Uint8Array} rgb */
function showSmall(canvas, rgb) {
  const image = new ImageData(canvas.width, canvas.height);
  for (let i = 0; i < rgb.length / 3; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}

/** The table: the most that a pixel sees, in pictures of several sizes. @param {Geometry[]} geometries */
function compare(geometries) {
  const [first] = geometries;
  /** @param {string} name @param {(side: number) => number} most */
  const line = (name, most) => make('tr', {}, make('th', { scope: 'row' }, name), ...SIDES.map((side) => make('td', {}, integer(most(side)))));
  byId('geometry-table').replaceChildren(
    make('tr', {}, make('th', { scope: 'col' }, 'Side of the picture'), ...SIDES.map((side) => make('th', { scope: 'col' }, String(side)))),
    line('everything before', (side) => first.over(side).positions),
    ...geometries.map((geometry) => line(geometry.is2d ? 'two dimensions' : 'one dimension', (side) => geometry.over(side).most())),
  );
}
