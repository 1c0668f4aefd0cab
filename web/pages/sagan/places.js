// SPDX-License-Identifier: MIT
// Draws the figure about the position of the attention module in a generator. A chart shows the published distances. A grid over a
// picture shows which locations the selected location sees through a convolution and through attention.
// @ts-check
import { byId, integer, makeSvg, onTheme, palette, percent, perFrame, phrase } from '../../shell/index.js';
/** @import { createSheet } from './sheet.js' */

/** Number of rows of each map. Every map has as many columns as rows. */
const SIDES = [8, 16, 32, 64];
const FIRST = 2;
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 300, 40, 150, 12, 44];
/** Vertical axis of the chart of distances: minimum, maximum and step. */
const [LOW, HIGH, STEP] = [15, 45, 5];
/** Weights with which red, green and blue contribute to the lightness of a pixel. */
const LIGHTNESS = [0.299, 0.587, 0.114];

/** Reads the published distances from the table. `attention` and `residual` have one distance for each map. */
function published() {
  const of = (/** @type {string} */ place) =>
    Number(document.querySelector(`#table-of-places tr[data-place="${place}"] td:last-child`)?.textContent);
  const by = (/** @type {string} */ kind) => SIDES.map((side) => of(`${kind} ${side}`));
  return { neither: of('neither'), attention: by('attention'), residual: by('residual') };
}

/** @param {ReturnType<typeof createSheet>} sheet */
export function createPlaces(sheet) {
  const { neither, attention, residual } = published();
  const chart = byId('places-chart');
  /** @type {HTMLCanvasElement} */
  const canvas = byId('places-picture');
  const said = byId('places-said');
  const radios = SIDES.map((side) => /** @type {HTMLInputElement} */ (byId(`place-${side}`)));
  let at = FIRST;
  /** The selected location, as fractions of the picture's width and height. */
  let point = { x: 0.36, y: 0.4 };
  /** @type {{ values: Uint8Array, side: number } | undefined} */
  let picture;

  const x = (/** @type {number} */ i) => LEFT + 40 + (i * (WIDTH - LEFT - RIGHT - 80)) / (SIDES.length - 1);
  const y = (/** @type {number} */ distance) => TOP + ((HIGH - distance) * (HEIGHT - TOP - BOTTOM)) / (HIGH - LOW);
  for (let distance = LOW; distance <= HIGH; distance += STEP) {
    chart.append(makeSvg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(distance), y2: y(distance) }));
    if (distance % 10 === 0)
      chart.append(makeSvg('text', { class: 'scale', x: LEFT - 8, y: y(distance) + 4, 'text-anchor': 'end' }, String(distance)));
  }
  SIDES.forEach((side, i) =>
    chart.append(makeSvg('text', { class: 'scale', x: x(i), y: HEIGHT - 24, 'text-anchor': 'middle' }, `${side} × ${side}`)),
  );
  chart.append(
    makeSvg('text', { class: 'scale', x: x(1.5), y: HEIGHT - 5, 'text-anchor': 'middle' }, phrase`the map with the attention`),
    makeSvg('path', { class: 'run plain', d: `M${LEFT} ${y(neither)}H${WIDTH - RIGHT}`, 'stroke-dasharray': '6 4' }),
  );
  const lines = /** @type {const} */ ([
    ['both', residual],
    ['scales', attention],
  ]);
  for (const [name, distances] of lines) {
    chart.append(makeSvg('path', { class: `run ${name}`, d: distances.map((one, i) => `${i ? 'L' : 'M'}${x(i)} ${y(one)}`).join('') }));
    distances.forEach((one, i) => chart.append(makeSvg('circle', { class: `run-point ${name}`, cx: x(i), cy: y(one), r: 4 })));
  }
  for (const [name, distance, text] of /** @type {const} */ ([
    ['plain', neither, phrase`neither`],
    ['both', residual[3], phrase`residual block`],
    ['scales', attention[3], phrase`attention`],
  ]))
    chart.append(makeSvg('text', { class: `scale run-name ${name}`, x: WIDTH - RIGHT + 6, y: y(distance) + 4 }, text));
  const chosen = makeSvg('g', {});
  chart.append(chosen);

  const draw = perFrame(() => {
    const context = canvas.getContext('2d');
    const size = Math.round(canvas.clientWidth * devicePixelRatio);
    if (!context || !picture || size === 0) return;
    if (canvas.width !== size) Object.assign(canvas, { width: size, height: size });
    const colours = palette();
    const { values, side } = picture;
    const step = size / side;
    for (let i = 0; i < side * side; i++) {
      const grey = LIGHTNESS.reduce((sum, part, c) => sum + part * values[3 * i + c], 0);
      context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
      context.fillRect(Math.floor((i % side) * step), Math.floor(Math.floor(i / side) * step), Math.ceil(step), Math.ceil(step));
    }
    const n = SIDES[at];
    const cell = size / n;
    const [column, row] = [Math.floor(point.x * n), Math.floor(point.y * n)];
    context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    context.beginPath();
    for (let i = 1; i < n; i++) {
      context.moveTo(i * cell, 0);
      context.lineTo(i * cell, size);
      context.moveTo(0, i * cell);
      context.lineTo(size, i * cell);
    }
    context.stroke();
    context.globalAlpha = 0.45;
    context.fillStyle = colours.heat(0.7);
    const [left, top] = [Math.max(0, column - 1), Math.max(0, row - 1)];
    context.fillRect(left * cell, top * cell, (Math.min(n, column + 2) - left) * cell, (Math.min(n, row + 2) - top) * cell);
    context.globalAlpha = 1;
    context.fillStyle = colours.accent;
    context.fillRect(column * cell, row * cell, cell, cell);
  });

  function show() {
    const n = SIDES[at];
    radios[at].checked = true;
    const labels = [
      { name: 'both', distance: residual[at] },
      { name: 'scales', distance: attention[at] },
    ].sort((a, b) => b.distance - a.distance);
    chosen.replaceChildren(
      makeSvg('line', { class: 'grid', x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }),
      ...labels.map(({ name, distance }) => makeSvg('circle', { class: `run-point ${name}`, cx: x(at), cy: y(distance), r: 7 })),
      ...labels.map(({ name, distance }, i) =>
        makeSvg(
          'text',
          { class: `scale run-name ${name}`, x: x(at), y: y(distance) + (i === 0 ? -12 : 22), 'text-anchor': 'middle' },
          distance.toFixed(2),
        ),
      ),
    );
    said.textContent = phrase`On a map of ${n} × ${n}, a 3 × 3 convolution sees 9 of ${integer(n * n)} locations (${percent(9 / (n * n))}), and attention sees all. Connecting opposite edges takes ${n - 1} such convolutions, or one attention layer. Distance with attention on this map: ${attention[at].toFixed(2)}; with a residual block instead: ${residual[at].toFixed(2)}; with neither: ${neither.toFixed(2)}.`;
    draw();
  }

  radios.forEach((radio, i) =>
    radio.addEventListener('change', () => {
      at = i;
      show();
    }),
  );
  const move = (/** @type {PointerEvent} */ event) => {
    point = {
      x: Math.min(0.999, Math.max(0, event.offsetX / canvas.clientWidth)),
      y: Math.min(0.999, Math.max(0, event.offsetY / canvas.clientHeight)),
    };
    draw();
  };
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerdown', move);
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const inside = (/** @type {number} */ share) => Math.min(0.999, Math.max(0, share));
    point = { x: inside(point.x + step[0] / SIDES[at]), y: inside(point.y + step[1] / SIDES[at]) };
    draw();
  });
  sheet.onChosen(({ model, chosen: { values } }) => {
    picture = { values, side: model.info.width };
    draw();
  });
  new ResizeObserver(draw).observe(canvas);
  onTheme(draw);
  show();
}
