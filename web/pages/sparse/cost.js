// SPDX-License-Identifier: MIT
// Measures how the time per step grows with the sequence length on this device. The measured networks have random weights, and draw the
// last pixels of a picture.
// @ts-check
import { Playback, announce, byId, bytes, createButton, fault, integer, load, make, phrase } from '../../shell/index.js';
import { FAR, NEAR, kept } from './patterns.js';
import { LAYERS, POSITION_BYTES, kindOf, randomModel } from './random-model.js';

/** Sides of the measured pictures, which have 1,024, 4,096 and 16,384 positions. */
const SIDES = [32, 64, 128];
const WHICH = /** @type {const} */ (['dense', 'strided', 'fixed']);
const NAMES = { dense: phrase`Dense`, strided: phrase`Strided`, fixed: phrase`Fixed` };

/**
 * DRAWN: number of pixels drawn at the end of each picture. PARTS: number of messages in which these pixels arrive.
 */
const DRAWN = 256,
  PARTS = 8;
/**
 * Number of measurements per picture size. The largest size is measured only once. The table shows the median over all parts of all
 * measurements, because other programs also use the processor.
 */
const TRIES = 3;
/**
 * Initial values of the table, in microseconds per step: the median of three runs of `tests/bench/sparse.js --width 32 --json`.
 */
const MEASURED = {
  where: phrase`another machine, a busy Intel Xeon, in Node 20`,
  times: [
    [50, 13, 11],
    [128, 11, 8],
    [1088, 11, 22],
  ],
};

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/**
 * Measures the time per step at the end of a picture, in microseconds. Draws the last pixels in PARTS chunks, and returns one value per
 * chunk. The first chunk is skipped, because its time includes reading the given pixels.
 * @param {typeof WHICH[number]} which @param {number} side @param {AbortSignal} signal
 */
async function measured(which, side, signal) {
  const model = await load(randomModel(side, kindOf(which, side)), { signal });
  try {
    const image = { data: new Uint8Array(side * side), width: side, height: side };
    const parts = [];
    let since = 0;
    for await (const { from, to } of model.complete(image, {
      rows: side - DRAWN / side,
      samples: 1,
      seed: 1,
      chunkSize: DRAWN / PARTS,
      signal,
    })) {
      const now = performance.now();
      if (since) parts.push((1000 * (now - since)) / (to - from));
      since = now;
    }
    return parts;
  } finally {
    model.close();
  }
}

/** Returns the size of the keys and values of all layers, in bytes. @param {typeof WHICH[number]} which @param {number} side */
function memory(which, side) {
  const pattern = { n: side * side, ...kindOf(which, side) };
  return (
    POSITION_BYTES *
    Array.from({ length: LAYERS }, (_, i) => kept(pattern, which === 'dense' ? NEAR | FAR : i % 2 ? FAR : NEAR)).reduce((a, b) => a + b, 0)
  );
}

/** @param {number[]} times one time per pattern, in the order of WHICH */
const ratioOf = ([dense, ...sparse]) => phrase`${(dense / Math.min(...sparse)).toFixed(1)} times`;

/** @param {HTMLElement} root */
export function createCost(root) {
  const body = make('tbody');
  const rows = SIDES.map((side, i) => {
    const cells = WHICH.map((which, k) => ({
      time: make('td', { class: 'time', 'data-head': phrase`${NAMES[which]}, a step` }, phrase`${integer(MEASURED.times[i][k])} µs`),
      memory: make('td', { 'data-head': phrase`${NAMES[which]} keeps` }, bytes(memory(which, side))),
    }));
    const ratio = make(
      'td',
      { class: 'ratio', 'data-head': phrase`Dense divided by the faster sparse pattern` },
      ratioOf(MEASURED.times[i]),
    );
    body.append(
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, integer(side * side)),
        ...cells.map(({ time }) => time),
        ratio,
        ...cells.map(({ memory: kept_ }) => kept_),
      ),
    );
    return { side, cells, ratio };
  });
  root.append(
    make(
      'table',
      { class: 'costs' },
      make(
        'thead',
        {},
        make(
          'tr',
          {},
          make('th', { scope: 'col' }, phrase`Length`),
          ...WHICH.map((which) => make('th', { scope: 'col' }, phrase`${NAMES[which]}, a step`)),
          make('th', { scope: 'col' }, phrase`Dense divided by the faster sparse pattern`),
          ...WHICH.map((which) => make('th', { scope: 'col' }, phrase`${NAMES[which]} keeps`)),
        ),
      ),
      body,
    ),
  );
  const said = byId('cost-said');
  const buttons = byId('cost-transport');
  const measure = createButton(phrase`Measure`, { id: 'cost-run', icon: 'run', primary: true });
  const stop = createButton(phrase`Stop`, { id: 'cost-stop', icon: 'stop' });
  buttons.append(measure.button, stop.button);
  const playback = new Playback({
    onPhase(phase) {
      buttons.dataset.phase = phase; // scripts read this attribute to find out when the measurement has ended
      measure.show(phase === 'done' ? phrase`Measure again` : phrase`Measure`, 'run');
      measure.button.disabled = phase === 'running';
      stop.button.disabled = phase !== 'running';
    },
    onError: (error) => {
      said.textContent = phrase`The measurement failed. ${fault(error)}`;
    },
  });
  measure.button.addEventListener('click', () => {
    sight.decide();
    run();
    stop.button.focus(); // the button that had the focus is disabled while the measurement runs
  });
  stop.button.addEventListener('click', () => {
    playback.abort();
    playback.enter('ready');
    said.textContent = phrase`Stopped.`;
    measure.button.focus();
  });
  const sight = playback.watch(byId('figure-cost'), run);
  playback.enter('ready');
  said.textContent = phrase`Measured on ${MEASURED.where}. Press the button to measure on your device.`;
  sight.proceed();

  function run() {
    return playback.run(async (signal) => {
      said.textContent = phrase`Warming up …`;
      for (const which of WHICH) await measured(which, SIDES[0], signal); // discarded, because code is slow when it first runs
      for (const { side, cells, ratio } of rows) {
        // Alternates the patterns, so that a moment of low load does not favour one pattern.
        /** @type {number[][]} */
        const parts = WHICH.map(() => []);
        for (let round = 0; round < (side < 128 ? TRIES : 1); round++) {
          for (const [k, which] of WHICH.entries()) {
            said.textContent = phrase`Measuring ${NAMES[which].toLowerCase()} attention over ${integer(side * side)} positions …`;
            parts[k].push(...(await measured(which, side, signal)));
            signal.throwIfAborted();
          }
        }
        const times = parts.map(median);
        cells.forEach(({ time }, k) => {
          time.textContent = phrase`${integer(times[k])} µs`;
          time.classList.add('here');
        });
        ratio.classList.add('here');
        ratio.textContent = ratioOf(times);
      }
      said.textContent = phrase`A step also includes the rest of the network, whose time does not grow with the length. The longer the sequence, the larger the share of attention in the time.`;
      announce(
        phrase`Measured: ${rows.map(({ side, ratio }) => phrase`${integer(side * side)} positions, ${ratio.textContent}`).join('; ')}.`,
      );
      return 'done';
    });
  }
}
