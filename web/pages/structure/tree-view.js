// SPDX-License-Identifier: MIT
// Draws the words of a sentence with arcs from their heads. The words are in one line with the arcs above. If the line does not fit, the
// words are in a column with the arcs on the right.
// @ts-check
import { arcsOf, depthOf, widest } from '../../lib/kinds/head/arcs.js';
import { make, makeSvg, percent, perFrame, phrase } from '../../shell/index.js';

/** @import { Model } from '../../shell/index.js' */
/** @typedef {Awaited<ReturnType<Model['parse']>>} Parse */
/**
 * @typedef {{ parse: Parse, free: Parse, pinned: Record<number, number>, chosen: number }} Shown parse: the parse with the pins; free: the
 *   parse without them. Words are numbered from 1. If `chosen` is 0, no word is chosen
 */

/** Height of the space for arcs above the line of words, in pixels. */
const HIGH = 190;
/** Minimum width of the space for arcs next to a column of words, in pixels. */
const NARROWEST = 90;
/**
 * BESIDE: distance between the arrow that arrives at a word and the arcs that leave the word. TIP: length of an arrowhead. Both are in
 * pixels.
 */
const BESIDE = 4;
const TIP = 7;

/**
 * @param {HTMLElement} frame
 * @param {(word: number) => void} onWord  called with the chosen word
 */
export function createTreeView(frame, onWord) {
  const svg = makeSvg('svg', { class: 'arcs', 'aria-hidden': 'true' });
  const list = make('ol', { class: 'tree-words', 'aria-label': phrase`Words with their heads` });
  frame.append(svg, list);
  /** @type {Shown | undefined} */
  let shown;
  const again = perFrame(() => layOut());
  new ResizeObserver(again).observe(frame);
  void document.fonts?.ready.then(again);

  function layOut() {
    if (!shown) return;
    frame.classList.remove('column');
    if (list.scrollWidth > list.clientWidth + 1) frame.classList.add('column');
    drawArcs();
  }

  function drawArcs() {
    if (!shown) return;
    const { parse, free, pinned, chosen } = shown;
    const column = frame.classList.contains('column');
    const box = frame.getBoundingClientRect();
    const places = [...list.children].map((word) => {
      const at = /** @type {HTMLElement} */ (word).firstElementChild?.getBoundingClientRect() ?? box;
      return {
        centre: column ? at.top + at.height / 2 - box.top : at.left + at.width / 2 - box.left,
        edge: column ? at.right - box.left : at.top - box.top,
      };
    });
    const edge = column ? Math.max(...places.map((place) => place.edge)) + 4 : Math.min(...places.map((place) => place.edge)) - 2;
    const room = column ? Math.max(NARROWEST, box.width - edge - 4) : HIGH - 4;
    const place = (/** @type {number} */ along, /** @type {number} */ deep) =>
      column ? `${(edge + deep).toFixed(1)} ${along.toFixed(1)}` : `${along.toFixed(1)} ${(edge - deep).toFixed(1)}`;
    svg.setAttribute('width', String(box.width));
    svg.setAttribute('height', String(box.height));
    const arcs = arcsOf(parse);
    const most = widest(arcs);
    svg.replaceChildren(
      ...arcs.map((arc) => {
        const { head, child, p, best } = arc;
        const to = places[child - 1].centre;
        const tip = best ? TIP : 0;
        const deep = (4 / 3) * room * depthOf(arc, most);
        const from = head ? places[head - 1].centre + Math.sign(child - head) * BESIDE : to;
        const way = head
          ? `M${place(from, 0)}C${place(from, deep)} ${place(to, deep)} ${place(to, tip)}`
          : `M${place(to, room)}L${place(to, tip)}`;
        const kinds = [
          'arc',
          ...(child in pinned ? ['pinned'] : []),
          ...(best && !(child in pinned) && free.heads[child - 1] !== head ? ['moved'] : []),
          ...(chosen && chosen !== child ? ['aside'] : []),
        ];
        const drawn = makeSvg(
          'g',
          { class: kinds.join(' ') },
          makeSvg('path', { class: 'way', d: way }),
          ...(best
            ? [makeSvg('path', { class: 'tip', d: `M${place(to, 0)}L${place(to - TIP / 2, tip)}L${place(to + TIP / 2, tip)}Z` })]
            : []),
        );
        drawn.style.setProperty('--p', p.toFixed(4));
        return drawn;
      }),
    );
  }

  /** @param {Shown} what */
  function show(what) {
    shown = what;
    const { parse, pinned, chosen } = what;
    const { words, heads, seen, marginals = [] } = parse;
    const p = (/** @type {number} */ child, /** @type {number} */ head) => marginals[(child - 1) * (words.length + 1) + head];
    const name = (/** @type {number} */ head) => (head ? words[head - 1] : phrase`the root`);
    while (list.children.length > words.length) list.lastElementChild?.remove();
    words.forEach((word, m) => {
      const child = m + 1;
      if (!list.children[m]) {
        const button = make('button', { type: 'button' }, make('span', { class: 'tree-word' }), make('span', { class: 'tree-p' }));
        button.addEventListener('click', () => onWord(child));
        list.append(make('li', {}, button));
      }
      const button = /** @type {HTMLButtonElement} */ (list.children[m].firstElementChild);
      const [text, note] = /** @type {HTMLElement[]} */ ([...button.children]);
      text.textContent = word;
      text.classList.toggle('unseen', !seen[m]);
      button.classList.toggle('pinned', child in pinned);
      button.setAttribute('aria-pressed', String(child === chosen));
      note.textContent = chosen && chosen !== child ? percent(p(chosen, child)) : percent(p(child, heads[m]));
      button.style.setProperty('--p', `${Math.round(100 * (chosen && chosen !== child ? p(chosen, child) : 0))}%`);
      button.setAttribute(
        'aria-description',
        chosen && chosen !== child
          ? phrase`probability ${percent(p(chosen, child))} as head of ${words[chosen - 1]}; choose to pin it`
          : `${phrase`its head: ${name(heads[m])}, ${percent(p(child, heads[m]))}`}${child in pinned ? phrase`, pinned` : ''}`,
      );
    });
    layOut();
  }
  return { show };
}
