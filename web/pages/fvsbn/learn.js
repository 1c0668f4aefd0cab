// SPDX-License-Identifier: MIT
// The figure in which a network learns in the page: chosen digits, the votes of a pixel as they form, nats as they fall, drawings as they come.
// @ts-check
import { PIXELS, Playback, announce, byId, createTransport, integer, loadStrip, make, onTheme, paint, palette, reducedMotion } from '../../shell/index.js';
import { blankNetwork, drawFrom, learn, natsOf } from './learning.js';
import { createVotes } from './votes.js';

/** Of each digit the strip has four: three to learn from, the last one to be asked about. */
const EACH = 4;
const PASSES = 120;
const RATE = 0.03;
/** Passes a second, slow enough to be watched. */
const SPEED = 20;

/** @param {HTMLElement} root */
export function createLearning(root) {
  const boxes = Array.from({ length: 10 }, (_, digit) => make('input', { type: 'checkbox', id: `learn-${digit}`, ...(digit < 3 && { checked: '' }) }));
  const chart = make('canvas', { class: 'learn-chart', role: 'img', 'aria-label': 'Nats of a picture, pass by pass' });
  const said = make('p', { class: 'panel-note', 'data-result': '' });
  const drawn = [0, 1, 2].map((k) => make('canvas', { role: 'img', 'aria-label': `Drawing ${k + 1} of the network that learns` }));
  const votesRoot = make('div', { class: 'votes' });
  root.append(
    make('fieldset', { class: 'learn-digits' }, make('legend', {}, 'Learn from the test digits'),
      ...boxes.map((box, digit) => make('label', { for: box.id }, box, ` ${digit}`))),
    make('div', { class: 'learn-panels' }, votesRoot,
      make('div', {}, chart, said, make('div', { class: 'learn-drawn' }, ...drawn.map((canvas) => make('div', { class: 'stage' }, canvas))))),
  );
  const votes = createVotes(votesRoot);
  let network = blankNetwork();
  /** Nats of a picture after each pass: of those learned from, of the others. @type {[number, number][]} */
  let curve = [];
  /** @type {Uint8Array[]} */
  let strip = [];
  let pictures = drawn.map(() => new Uint8Array(PIXELS));

  function redraw() {
    const context = chart.getContext('2d');
    const [width, height] = [chart.clientWidth, chart.clientHeight].map((side) => Math.round(side * devicePixelRatio));
    if (context && width > 0) {
      Object.assign(chart, { width, height });
      const { predicted, ink, edge } = palette();
      const top = 550;
      [ink, predicted[255]].forEach((colour, which) => {
        context.strokeStyle = colour;
        context.lineWidth = 2 * devicePixelRatio;
        context.beginPath();
        curve.forEach((nats, k) => context[k ? 'lineTo' : 'moveTo'](k / PASSES * width, height * (1 - Math.min(1, nats[which] / top))));
        context.stroke();
      });
      context.strokeStyle = edge;
      context.strokeRect(0, 0, width, height);
    }
    drawn.forEach((canvas, k) => paint(canvas, { values: pictures[k], filled: PIXELS, known: 0 }));
    votes.use(network);
  }

  const chosen = () => boxes.flatMap(({ checked }, digit) => (checked ? [digit] : []));
  /** @param {Uint8Array[]} all */
  const mean = (all) => all.reduce((sum, ink) => sum + natsOf(network, ink), 0) / Math.max(1, all.length);

  async function run() {
    const digits = chosen();
    if (strip.length === 0 || digits.length === 0) {
      said.textContent = 'Choose a digit to learn from.';
      return;
    }
    const learned = digits.flatMap((digit) => strip.slice(EACH * digit, EACH * digit + EACH - 1));
    const others = digits.map((digit) => strip[EACH * digit + EACH - 1]);
    network = blankNetwork();
    curve = [[mean(learned), mean(others)]];
    await playback.run(async (signal) => {
      for (let pass = 1; pass <= PASSES; pass++) {
        await playback.take(1, signal);
        for (const ink of learned) learn(network, ink, RATE);
        curve.push([mean(learned), mean(others)]);
        const last = pass === PASSES;
        if (pass % 10 === 0) pictures = drawn.map(() => drawFrom(network, Math.random).map((x) => 255 * x));
        if (reducedMotion() ? last : true) {
          const [own, other] = curve[pass];
          said.textContent = `Pass ${integer(pass)} of ${PASSES}: ${own.toFixed(0)} nats for the ${learned.length} digits that it learns from (dark), ` +
            `${other.toFixed(0)} for ${others.length} that it never sees (blue).`;
          redraw();
        }
        if (pass % 4 === 0) await new Promise((resolve) => { setTimeout(resolve); }); // the page goes on
      }
      announce(said.textContent ?? '');
    });
  }

  const playback = new Playback({ speed: SPEED, onPhase: (phase) => transport.show(phase), onError: (error) => { said.textContent = String(error); } });
  const transport = createTransport(byId('learn-transport'), {
    name: 'learn', pauses: true,
    onRun() {
      if (playback.phase === 'running') playback.pause();
      else if (playback.phase === 'paused') playback.resume();
      else run();
    },
  });
  loadStrip().then((all) => {
    strip = all.map(({ pixels }) => Uint8Array.from(pixels, (grey) => Number(grey > 127)));
    playback.enter('ready');
    redraw();
  }).catch(() => {}); // the figure above says what is wrong
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
}
