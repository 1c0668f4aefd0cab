// SPDX-License-Identifier: MIT
// The guided walk: a sentence, an equation and the live numbers of each step, which are HTML of the page; forward, back, and by itself.
// @ts-check
import { announce, createButton, make, phrase } from '../../shell/index.js';
import { number } from './explain.js';
import { letter } from './boxes.js';

/** @import { Matrix } from './graph.js' */
/** @import { Shape, Trace } from './networks.js' */

/** A step stays for so long when it plays. */
const STEP_MS = 5000;

/** @typedef {{ trace: Trace, shape: Shape, at: number }} Now  at: which written letter is looked at */
/** @typedef {{ id: string, item: HTMLElement, box: string, name: string }} Step  of a list item: the box it opens, the matrix it points into */

/** The walk points at the largest number, not at the one farthest from zero. */
const RANKED = /\.(compare|scale|mask|weights)$|^logits$|^odds$/;
/** Scores of places that are hidden in the end. */
const CAUSAL = /^dec\.\d\.self\.\d\.(compare|scale)$/;

/** What a step says. @param {HTMLElement} item */
const textOf = (item) => /** @type {HTMLElement[]} */ ([...item.children]).filter(({ hidden }) => !hidden).map(({ textContent }) => textContent?.replace(/\s+/g, ' ').trim()).join(' ');

/** The cell of a matrix that a step points at: in the row that counts, the number that stands out, or the last one that is hidden. @param {Matrix} matrix @param {number} row @param {boolean} hidden */
export function cellOf(matrix, row, hidden = false) {
  const i = Math.min(row, matrix.rows - 1);
  const numbers = [...matrix.row(i)];
  const size = (/** @type {number} */ x) => (RANKED.test(matrix.name) ? x : Math.abs(x));
  if (hidden && numbers.includes(-Infinity)) return /** @type {[number, number]} */ ([i, numbers.lastIndexOf(-Infinity)]);
  return /** @type {[number, number]} */ ([i, numbers.reduce((best, x, j) => (size(x) > size(numbers[best]) && !(CAUSAL.test(matrix.name) && j > i) ? j : best), 0)]);
}

/** Words and numbers of the steps, by the names that the page gives them. @param {Now} now @returns {Record<string, string>} */
export function liveOf({ trace: { matrices, source, written, first }, shape, at }) {
  const { tokens, values, d, heads, kind } = shape;
  const alone = kind === 'gpt2';
  const get = (/** @type {string} */ name) => matrices.get(name);
  const side = alone ? 'dec' : 'enc';
  const name = (/** @type {number} */ id) => (id < 0 ? '⇥' : letter(tokens[id]));
  const read = alone ? [...source, ...written.slice(0, -1)] : [-1, ...written.slice(0, -1)];
  const word = source.map(name);
  const row = first + at;
  const look = (/** @type {string} */ matrix, /** @type {number} */ i) => {
    const found = get(matrix);
    return found ? { j: cellOf(found, i)[1], x: found.at(...cellOf(found, i)) } : { j: 0, x: 0 };
  };
  const asker = alone ? row : 0;
  const compared = look(`${side}.0.self.0.compare`, asker);
  const j = compared.j;
  const cell = (/** @type {string} */ matrix) => get(matrix)?.at(asker, j) ?? 0;
  const aggregated = look(`${side}.0.self.0.output`, asker);
  /** What the walk begins with: the first letter of the word, or the one that is looked at. */
  const begun = alone ? read[row] : source[0];
  const cross = look('dec.1.cross.0.weights', row);
  const odds = get('odds');
  const told = written[at];
  return {
    letter: name(begun), id: String(begun + 1), values: String(values), d: String(d), heads: String(heads), width: String(d / heads),
    asker: alone ? name(read[row]) : word[0], asked: alone ? name(read[j]) : word[j], compared: number(cell(`${side}.0.self.0.compare`)), scaled: number(cell(`${side}.0.self.0.scale`)),
    share: `${Math.round(100 * cell(`${side}.0.self.0.weights`))}%`, inner: String(shape.inner), places: String(alone ? row + 1 : source.length),
    value: number(aggregated.x), channel: String(aggregated.j + 1), shifted: read.map(name).join(' '), before: name(read[row]), told: name(told), step: String(at + 1),
    cross: word[cross.j] ?? '', 'cross-share': `${Math.round(100 * cross.x)}%`, logit: number(get('logits')?.at(row, told) ?? 0), odds: `${number(100 * (odds?.at(row, told) ?? 0), 1)}%`,
  };
}

/**
 * @param {Object} parts
 * @param {HTMLElement} parts.list   an <ol> whose items have data-box and data-matrix: names of the network of two stacks, then that of the decoder alone
 * @param {HTMLElement} parts.tools  gets the buttons
 * @param {(step: Step) => void} onStep
 */
export function createWalk({ list, tools }, onStep) {
  /** @type {Step[]} */
  let steps = [];
  let at = -1;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const play = createButton(phrase`Play`, { id: 'walk-play', icon: 'run', primary: true });
  const [back, next] = [createButton(phrase`Back`, { id: 'walk-back' }).button, createButton(phrase`Next`, { id: 'walk-next' }).button];
  const count = make('span', { class: 'walk-count' });
  tools.append(play.button, back, next, count);
  const items = /** @type {HTMLElement[]} */ ([...list.children]);

  /** @param {number} to @param {boolean} [aloud] */
  function go(to, aloud = true) {
    if (!(to >= 0 && to < steps.length)) return;
    at = to;
    for (const item of items) item.hidden = item !== steps[at].item;
    back.disabled = at === 0;
    next.disabled = at === steps.length - 1;
    count.textContent = phrase`${at + 1} of ${steps.length}`;
    onStep(steps[at]);
    if (aloud) announce(textOf(steps[at].item), 300);
  }
  function stop() {
    clearInterval(timer);
    timer = undefined;
    play.show(phrase`Play`, 'run');
  }
  play.button.addEventListener('click', () => {
    if (timer) return stop();
    if (at === steps.length - 1) go(0);
    else go(at + 1);
    play.show(phrase`Pause`, 'pause');
    timer = setInterval(() => {
      if (!document.hidden) go(at + 1);
      if (at === steps.length - 1) stop();
    }, STEP_MS);
  });
  back.addEventListener('click', () => { stop(); go(at - 1); });
  next.addEventListener('click', () => { stop(); go(at + 1); });

  return {
    stop,
    /** The steps that a network has; the one that is shown stays where it is, if it can. @param {Shape} shape @param {Map<string, Matrix>} matrices @param {(name: string) => string} boxName the box that a matrix is made in */
    use({ kind }, matrices, boxName) {
      const shown = steps[at]?.id ?? location.hash.slice(1);
      for (const part of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('[data-kind]'))) part.hidden = part.dataset.kind !== kind;
      steps = items.flatMap((item) => {
        const names = item.dataset.matrix?.split(' ') ?? [];
        const name = names[kind === 'gpt2' ? 1 : 0] ?? names[0];
        return matrices.has(name) ? [{ id: item.id, item, name, box: boxName(name) }] : [];
      });
      at = Math.max(0, steps.findIndex(({ id }) => id === shown));
      go(at, false);
    },
    /** @param {string} id @returns {boolean} whether there is such a step */
    goTo(id) {
      const found = steps.findIndex((step) => step.id === id);
      stop();
      go(found);
      return found >= 0;
    },
    get step() { return steps[at]; },
    /** @param {Now} now */
    tell(now) {
      const live = liveOf(now);
      for (const item of list.querySelectorAll('[data-live]')) item.textContent = live[/** @type {HTMLElement} */ (item).dataset.live ?? ''] ?? '';
    },
  };
}
