// SPDX-License-Identifier: MIT
// Runs the batting-order game. Each of the nine positions in the batting order attends to the nine players. The visitor can drag the
// players.
// @ts-check
import { Playback, announce, byId, createTransport, make, percent, phrase } from '../../shell/index.js';
import { PLACES, PLAYERS, mixture, order, weights } from './fit.js';
/** @import { Vector } from './fit.js' */

const STEP = 0.04;
/** Positions per second. Slow enough to watch. */
const SPEED = 2.5;

export function createBatting() {
  /** @type {Vector[]} */
  const at = PLAYERS.map((player) => [...player.at]);
  let chosen = 3;
  /** Number of positions filled so far. */
  let filled = PLACES.length;
  /** @type {HTMLInputElement} */
  const sharpness = byId('sharpness');
  /** @type {HTMLSelectElement} */
  const fit = byId('fit');
  const [plane, sum, said] = [byId('plane'), byId('batting-sum'), byId('batting-said')];
  const ring = make('span', { class: 'mixture', 'aria-hidden': 'true' });
  plane.append(ring);

  /** @param {HTMLElement} element @param {Vector} vector */
  const put = (element, [x, y]) => {
    element.style.setProperty('--x', `${(100 * x).toFixed(2)}%`);
    element.style.setProperty('--y', `${(100 * y).toFixed(2)}%`);
  };
  /** @param {number} i @param {number} x @param {number} y */
  function move(i, x, y) {
    at[i] = [Math.min(1, Math.max(0, x)), Math.min(1, Math.max(0, y))];
    show();
  }
  const dots = PLAYERS.map(({ name }, i) => {
    const dot = make('button', { type: 'button', class: 'player', 'aria-describedby': 'plane-how' }, name);
    dot.addEventListener('pointerdown', (event) => dot.setPointerCapture(event.pointerId));
    dot.addEventListener('pointermove', (event) => {
      if (!dot.hasPointerCapture(event.pointerId)) return;
      const box = plane.getBoundingClientRect();
      move(i, (event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height);
    });
    dot.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
      if (!by) return;
      event.preventDefault();
      move(i, at[i][0] + by[0], at[i][1] + by[1]);
      announce(phrase`${name}: speed ${percent(at[i][0])}, power ${percent(at[i][1])}. ${said.textContent}`);
    });
    plane.append(dot);
    return dot;
  });
  const rows = PLACES.map(({ wants }, p) => {
    const radio = make('input', { type: 'radio', name: 'place', value: String(p), ...(p === chosen && { checked: '' }) });
    radio.addEventListener('change', () => {
      chosen = p;
      show();
    });
    const cells = PLAYERS.map(() => make('td', {}));
    const who = make('td', { class: 'who' });
    byId('batting-rows').append(
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, make('label', {}, radio, ` ${p + 1}`, make('span', { class: 'wants' }, ` ${phrase(wants)}`))),
        ...cells,
        who,
      ),
    );
    return { cells, who };
  });
  byId('batting-names').append(
    ...PLAYERS.map(({ name }) => make('th', { scope: 'col' }, name)),
    make('th', { scope: 'col' }, phrase`bats`),
  );

  function show() {
    const all = weights(at, Number(sharpness.value), fit.value === 'dot' ? 'dot' : 'cosine');
    const taken = order(all);
    byId('sharpness-said').textContent = Number(sharpness.value).toFixed(0);
    dots.forEach((dot, i) => {
      put(dot, at[i]);
      dot.style.setProperty('--p', `${Math.round(100 * all[chosen][i])}%`);
      dot.classList.toggle('taken', taken[chosen] === i);
    });
    const mixed = mixture(all[chosen], at);
    put(ring, mixed);
    const [qx, qy] = PLACES[chosen].query;
    byId('query-line').setAttribute('d', `M0 100L${100 * qx} ${100 - 100 * qy}`);
    rows.forEach(({ cells, who }, p) => {
      who.textContent = p < filled ? PLAYERS[taken[p]].name : '';
      who.parentElement?.classList.toggle('chosen', p === chosen);
      cells.forEach((cell, i) => {
        cell.textContent = all[p][i].toFixed(2).replace(/^0/, '');
        cell.style.setProperty('--p', `${Math.round(100 * all[p][i])}%`);
        cell.classList.toggle('taken', p < filled && taken[p] === i);
      });
    });
    const parts = all[chosen].map((w, i) => ({ w, name: PLAYERS[i].name })).sort((a, b) => b.w - a.w);
    const shown = parts.filter(({ w }) => w >= 0.05);
    sum.textContent = `c${'₁₂₃₄₅₆₇₈₉'[chosen]} = ${shown.map(({ w, name }) => `${w.toFixed(2)} ${name}`).join(' + ')}${shown.length < parts.length ? ' + …' : ''} = (${mixed.map((x) => x.toFixed(2)).join(', ')})`;
    const best = PLAYERS[taken[chosen]].name;
    said.textContent =
      best === parts[0].name
        ? phrase`${best} fits position ${chosen + 1} best, and bats there.`
        : phrase`${parts[0].name} would fit position ${chosen + 1} best, but bats at ${taken.findIndex((i) => PLAYERS[i].name === parts[0].name) + 1}, because ${best} takes that position.`;
  }
  const playback = new Playback({ speed: SPEED, onPhase: (phase) => transport.show(phase) });
  const transport = createTransport(byId('batting-transport'), {
    name: 'batting',
    onRun: () =>
      playback.run(async (signal) => {
        for (filled = 0; filled < PLACES.length; ) {
          chosen = filled;
          /** @type {HTMLInputElement} */ (document.querySelector(`input[name=place][value="${chosen}"]`)).checked = true;
          filled += 1;
          show();
          await playback.take(1, signal);
        }
        announce(phrase`The order: ${rows.map(({ who }) => who.textContent).join(', ')}`);
      }),
  });
  sharpness.addEventListener('input', show);
  fit.addEventListener('change', show);
  byId('batting-again').addEventListener('click', () => {
    PLAYERS.forEach((player, i) => {
      at[i] = [...player.at];
    });
    show();
  });
  show();
  playback.enter('ready');
}
