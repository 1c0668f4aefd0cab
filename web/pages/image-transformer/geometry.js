// SPDX-License-Identifier: MIT
// Draws the figure of local attention. One model draws a picture in strips, and another model draws a picture in blocks. The figure shows
// which positions each pixel sees.
// @ts-check
import {
  acquireAll,
  announce,
  askable,
  byId,
  createLoading,
  createTake,
  createTransport,
  integer,
  keepInAddress,
  loadPictures,
  make,
  onTheme,
  perFrame,
  phrase,
  weights,
  whenNear,
  whileSeen,
  wholeIn,
} from '../../shell/index.js';
import { createChart } from './geometry-chart.js';
import { paintGeometry } from './geometry-paint.js';
import { Track, createPlayer } from './geometry-run.js';
/** @import { Cell, Model, Phase, Shot, Subject } from '../../shell/index.js' */
/** @import { Geometry } from './geometry-pattern.js' */

/**
 * The two models. The first has 1D local attention and draws a picture without input. The second has 2D local attention and enlarges a
 * small picture.
 */
const MODELS = [weights('emoji.gguf'), weights('cifar10-sr-2d.gguf')];
/** At temperature 1, the model's probabilities are used unchanged. Enlarged pictures are better at a slightly lower temperature. */
const TEMPERATURES = { one: 1, two: 0.8 };
/** Selectable speeds: pixels drawn per second in each picture. */
const SPEEDS = [2, 5, 12, 30, 80, 250, Infinity];
/** Sides of the square pictures that the table compares. */
const SIDES = [32, 64, 256];

/** @param {number} rows @param {number} cols */
const times = (rows, cols) => `${rows}\u2009×\u2009${cols}`;

/** Creates the figure, and loads its models when the visitor scrolls to it. */
export function createGeometry() {
  /** @type {Subject[]} */
  let photos = [];
  const figure = createFigure({ onRun: () => loading.clear(), onError: (error) => loading.failed(error) });
  const loading = createLoading(byId('geometry-load'), {
    async acquire(options) {
      photos = await loadPictures('photos');
      return acquireAll(MODELS, options);
    },
    onModels: (models) => figure.use(models, photos),
    onLost: () => figure.use([], []),
  });
  whenNear(byId('geometry-panels'), loading.load);
}

/** @param {{ onRun: () => void, onError: (error: unknown) => void }} hooks */
function createFigure({ onRun, onError }) {
  /** @type {HTMLInputElement} */
  const scrubber = byId('geometry-scrubber');

  /**
   * The visitor's selection: either a step of both pictures, or a pixel of one picture. If the other picture has the same size, the same
   * pixel is also selected in that picture.
   * @type {{ step: number } | { cell: Cell, by: Panel } | null}
   */
  let asked = null;
  /** @type {ReturnType<typeof createChart> | undefined} */
  let chart;
  /** @type {Panel[]} */
  let panels = [];

  const player = createPlayer({ onPhase: showPhase, onChange: () => redraw(), onError });
  const redraw = perFrame(draw);
  const transport = createTransport(byId('geometry-transport'), {
    name: 'geometry',
    pauses: true,
    seed: 45,
    onAgain: start,
    onSeed() {
      address.changed();
      start();
    },
    speeds: SPEEDS,
    speed: 3,
    onSpeed(speed) {
      player.speed = speed;
    },
    onRun() {
      asked = null;
      if (player.phase === 'running') player.pause();
      else if (player.phase === 'paused') player.resume();
      else start();
    },
    onStep() {
      asked = null;
      player.seed = transport.seed;
      player.step();
    },
  });

  /** @typedef {ReturnType<typeof createPanel>} Panel */

  /**
   * Creates one picture with its title and its numbers.
   *
   * @param {Track} track
   * @param {{ name: string, file: string, detail: string, source?: HTMLCanvasElement }} texts
   */
  function createPanel(track, { name, file, detail, source }) {
    const canvas = make('canvas', { role: 'img' });
    const note = make('p', { class: 'panel-note' });
    const frame = askable(canvas, {
      label: phrase`${name}. Arrow keys choose a pixel and show what it sees.`,
      grid: () => track.geometry,
      from: () => (player.head > 0 ? track.geometry.at(Math.min(player.head, track.geometry.positions) - 1) : null),
      onPixel: (cell) => ask({ cell, by: panel }),
      onLeave: () => ask(null),
    });
    const stage = make('div', { class: 'stage geometry-stage' }, frame);
    const heading = make('p', { class: 'panel-name' }, make('b', {}, name), make('span', {}, detail));
    const foot = make(
      'div',
      { class: 'geometry-foot' },
      note,
      ...(source ? [make('div', { class: 'geometry-source' }, source, phrase`given`)] : []),
    );
    const panel = { name, file, track, canvas, note, root: make('div', { class: 'panel geometry-panel' }, heading, stage, foot) };
    return panel;
  }

  /** @param {typeof asked} what */
  function ask(what) {
    asked = what;
    redraw();
  }

  /** Returns the position of the query that a picture shows, or -1 for none. @param {Panel} panel */
  function queryOf(panel) {
    const { geometry } = panel.track;
    if (asked && 'step' in asked) return Math.min(asked.step, geometry.positions - 1);
    if (asked) {
      const { rows, cols } = asked.by.track.geometry;
      if (asked.by === panel || (rows === geometry.rows && cols === geometry.cols)) {
        return geometry.stepAt[asked.cell.row * geometry.cols + asked.cell.col];
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
      canvas.setAttribute('aria-label', phrase`${integer(drawn)} of ${integer(geometry.positions)} pixels drawn`);
      if (query < 0) {
        note.replaceChildren(make('b', {}, phrase`Drawn.`), phrase` Point at a pixel to see which pixels it attends to.`);
        continue;
      }
      if (asked && ('step' in asked || asked.by === panel)) marked = query;
      const { elements, own, memory } = geometry.seen(query);
      const { row, col } = geometry.at(query);
      note.replaceChildren(
        make('b', {}, phrase`Sees ${integer(elements.length)}`),
        phrase`: ${integer(own)} from its block, ${integer(memory)} from its memory. `,
        make('span', { class: 'geometry-where' }, phrase`Step ${integer(query + 1)}: row ${row + 1}, column ${col + 1}.`),
      );
      // Announces the selected pixel while the visitor moves through the picture with the keyboard.
      if (asked && 'cell' in asked && asked.by === panel && document.activeElement?.contains(canvas)) announce(note.textContent ?? '', 400);
    }
    chart?.mark(marked);
    const step = asked && 'step' in asked ? asked.step : marked < 0 ? player.total - 1 : marked;
    if (document.activeElement !== scrubber || !asked) scrubber.value = String(step);
    const text = phrase`Step ${integer(step + 1)} of ${integer(player.total)}`;
    byId('geometry-scrubber-text').textContent = text;
    scrubber.setAttribute('aria-valuetext', [text, ...panels.map(({ note }) => note.textContent)].join('. '));
  }

  /** @param {Phase} phase */
  function showPhase(phase) {
    scrubber.disabled = phase === 'empty';
    transport.show(phase);
    if (phase === 'running' || phase === 'paused') onRun();
    if (phase === 'done') announce(phrase`Both pictures are drawn.`);
  }

  function start() {
    player.seed = transport.seed;
    asked = null;
    player.start();
  }

  scrubber.addEventListener('input', () => {
    player.pause();
    ask({ step: Number(scrubber.value) });
  });
  onTheme(redraw);
  new ResizeObserver(redraw).observe(byId('geometry-panels'));

  const sight = whileSeen(byId('geometry-panels'), {
    start() {
      if (player.phase === 'ready') start();
      else if (player.phase === 'paused') player.resume();
      else return false;
      return true;
    },
    stop() {
      if (player.phase !== 'running') return false;
      player.pause();
      return true;
    },
  });
  transport.onPress(sight.decide);

  /** @returns {Shot[]} */
  const shots = () =>
    panels
      .filter(({ track }) => track.pulled > 0)
      .map(({ track, name, file }) => ({
        name,
        file: `${file}-seed-${transport.seed}`,
        picture: track.picture(),
        order: [...track.geometry.order.subarray(0, track.pulled)],
      }));
  const settings = () => ({ model: 'emoji, cifar10-sr-2d', seed: transport.seed });
  createTake(byId('geometry-take'), { id: 'figure-geometry', shots, settings });
  const address = keepInAddress('figure-geometry', {
    settings,
    apply(given) {
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      if (player.phase !== 'empty') start();
    },
  });

  return {
    /** Shows two models, or none after they were closed. @param {Model[]} models @param {Subject[]} photos */
    use(models, photos) {
      asked = null;
      const [one, two] = models;
      if (!one || !two) {
        player.use([]);
        return;
      }
      player.seed = transport.seed;
      panels = [
        createPanel(new Track(one, (options) => one.generate({ ...options, temperature: TEMPERATURES.one })), {
          name: phrase`In one dimension`,
          file: 'in-one-dimension',
          detail: phrase`block ${integer(one.info.queryBlock)}, memory ${integer(one.info.memoryBlock)}`,
        }),
      ];
      const { blockRows, blockCols, flangeRows, flangeCols, inputWidth, inputHeight } = two.info;
      const small = make('canvas', {
        width: String(inputWidth),
        height: String(inputHeight),
        role: 'img',
        'aria-label': phrase`Nothing is given yet`,
      });
      panels.push(
        createPanel(
          new Track(two, (options) => {
            const { name, image, label } = photos[Number(options.seed) % photos.length];
            const enlarged = two.superResolve(image, {
              ...options,
              temperature: TEMPERATURES.two,
              label: label && two.info.classes.includes(label) ? label : null,
            });
            showSmall(small, /** @type {Uint8Array} */ (enlarged.small));
            small.setAttribute(
              'aria-label',
              phrase`${phrase(name)}, reduced to ${inputWidth} by ${inputHeight}: the input of the second picture`,
            );
            return enlarged;
          }),
          {
            name: phrase`In two dimensions`,
            file: 'in-two-dimensions',
            source: small,
            detail: phrase`block ${times(blockRows, blockCols)}, flange ${flangeRows === flangeCols ? flangeRows : times(flangeRows, flangeCols)}`,
          },
        ),
      );
      byId('geometry-panels').replaceChildren(...panels.map(({ root }) => root));
      player.use(panels.map(({ track }) => track));
      scrubber.max = String(player.total - 1);
      compare(panels.map(({ track }) => track.geometry));
      chart = createChart(byId('geometry-chart'), [
        { name: phrase`everything before`, kind: 'all', count: (step) => step + 1, positions: player.total },
        ...panels.map(({ track: { geometry } }) => ({
          name: geometry.is2d ? phrase`two dimensions` : phrase`one dimension`,
          kind: geometry.is2d ? 'two' : 'one',
          count: (/** @type {number} */ step) => geometry.count(step),
          positions: geometry.positions,
        })),
      ]);
      redraw();
      announce(phrase`The models of local attention are loaded.`);
      sight.proceed();
    },
  };
}

/** @param {HTMLCanvasElement} canvas @param {Uint8Array} rgb */
function showSmall(canvas, rgb) {
  const image = new ImageData(canvas.width, canvas.height);
  for (let i = 0; i < rgb.length / 3; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}

/** Fills the table with the largest number of positions that a pixel sees, for pictures of several sizes. @param {Geometry[]} geometries */
function compare(geometries) {
  const [first] = geometries;
  /** @param {string} name @param {(side: number) => number} most */
  const line = (name, most) =>
    make('tr', {}, make('th', { scope: 'row' }, name), ...SIDES.map((side) => make('td', {}, integer(most(side)))));
  byId('geometry-table').replaceChildren(
    make(
      'tr',
      {},
      make('th', { scope: 'col' }, phrase`Side of the picture`),
      ...SIDES.map((side) => make('th', { scope: 'col' }, String(side))),
    ),
    line(phrase`everything before`, (side) => first.over(side).positions),
    ...geometries.map((geometry) =>
      line(geometry.is2d ? phrase`two dimensions` : phrase`one dimension`, (side) => geometry.over(side).most()),
    ),
  );
}
