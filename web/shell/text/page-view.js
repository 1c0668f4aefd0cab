// SPDX-License-Identifier: MIT
// Shows the story on a canvas, with arcs over the text for the attention weights. The visitor selects a token with the pointer or the arrow
// keys.
// @ts-check
import { make, onTheme, perFrame, phrase } from '../index.js';
/** @import { AttentionMap, TextSheet } from '../index.js' */

/** Minimum weight of an arc. Arcs with smaller weights are not drawn. */
const LEAST_WEIGHT = 0.02;

/**
 * @param {HTMLElement} root
 * @param {TextSheet} Sheet library class that draws texts
 * @param {{ mirror: HTMLElement, onMark: (place: number, by: 'pointer' | 'keys' | 'leave') => void, onEnter: () => void }} hooks onEnter:
 *   called when the visitor wants to move from the selected token to its alternatives
 */
export function createPageView(root, Sheet, { mirror, onMark, onEnter }) {
  const canvas = make('canvas', { class: 'page-text', 'aria-hidden': 'true', lang: '' });
  const arcs = make('canvas', { class: 'page-arcs', 'aria-hidden': 'true' });
  const frame = make(
    'div',
    {
      class: 'picture page',
      tabindex: '0',
      role: 'application',
      'aria-label': phrase`The story, token by token. The left and right arrow keys move through it; Enter shows the alternatives of a token`,
    },
    canvas,
    arcs,
  );
  root.append(frame);
  const page = new Sheet(canvas, { mirror });
  /** Index of the selected token in the path; -1 for none. */
  let marked = -1;
  let pinned = false;
  /** Index of the canvas's first token in the path. The start token is not on the canvas, because it has no text. */
  let offset = 0;
  /** @type {{ from: number, map: { keys: ArrayLike<number>, weights: ArrayLike<number> } } | null} */
  let shown = null;

  const drawArcs = perFrame(() => {
    const context = arcs.getContext('2d');
    if (!context) return;
    const ratio = devicePixelRatio;
    const { clientWidth: width, clientHeight: height } = canvas;
    Object.assign(arcs, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!shown) return;
    const [to] = page.boxesOf(shown.from - offset);
    if (!to) return;
    context.strokeStyle = context.fillStyle = getComputedStyle(canvas).getPropertyValue('--predicted').trim() || '#1f3dc2';
    const { keys, weights } = shown.map;
    for (let i = 0; i < keys.length; i++) {
      const weight = weights[i];
      if (weight < LEAST_WEIGHT) continue;
      for (const box of page.boxesOf(keys[i] - offset)) {
        context.globalAlpha = Math.min(0.45, 1.5 * weight);
        context.fillRect(box.x, box.y + box.height - 4, box.width, 3);
        context.globalAlpha = Math.min(1, 0.2 + 1.3 * weight);
        context.lineWidth = 1 + 3 * weight;
        const [x1, x2] = [to.x + to.width / 2, box.x + box.width / 2];
        const [y1, y2] = [to.y + 4, box.y + (box.y === to.y ? 4 : box.height - 3)];
        const lift = box.y === to.y ? Math.min(to.y + 2, 10 + Math.abs(x1 - x2) / 8) : 0;
        context.beginPath();
        context.moveTo(x1, y1);
        context.bezierCurveTo(x1, y1 - lift - (y1 - y2) * 0.4, x2, y2 - lift + (y1 - y2) * 0.4, x2, y2);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  });

  /** @param {number} place @param {'pointer' | 'keys' | 'leave'} by */
  function mark(place, by) {
    if (place === marked) return;
    marked = place;
    page.mark(place < 0 ? -1 : place - offset);
    shown = null;
    drawArcs();
    onMark(place, by);
  }
  /** @param {PointerEvent} event */
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const index = page.tokenAt(event.clientX - box.left, event.clientY - box.top);
    return index < 0 ? -1 : index + offset;
  };
  frame.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'mouse' && !pinned) mark(under(event), 'pointer');
  });
  frame.addEventListener('pointerdown', (event) => {
    const place = under(event);
    pinned = place >= 0 && !(pinned && place === marked);
    mark(place, 'pointer');
  });
  frame.addEventListener('pointerleave', () => {
    if (!pinned && document.activeElement !== frame) mark(-1, 'leave');
  });
  frame.addEventListener('keydown', (event) => {
    const last = offset + page.count - 1;
    const from = marked < 0 ? last + 1 : marked;
    const moves = /** @type {Record<string, number>} */ ({ ArrowLeft: from - 1, ArrowRight: from + 1, Home: offset, End: last });
    if (event.key in moves) {
      pinned = true;
      mark(Math.min(last, Math.max(offset, moves[event.key])), 'keys');
    } else if ((event.key === 'Enter' || event.key === 'ArrowDown') && marked >= 0) {
      onEnter();
    } else if (event.key === 'Escape') {
      pinned = false;
      mark(-1, 'leave');
    } else {
      return;
    }
    event.preventDefault();
  });
  onTheme(drawArcs);
  new ResizeObserver(drawArcs).observe(canvas);

  return {
    frame,
    canvas,
    get marked() {
      return marked;
    },
    /** Keeps the selection when the pointer leaves the token. */
    pin() {
      pinned = true;
    },
    /** Clears the selection. */
    release() {
      pinned = false;
      mark(-1, 'leave');
    },
    /**
     * Shows a whole text.
     * @param {{ text: string, nats: number, given: boolean }[]} tokens
     * @param {number} first index of the text's first token in the path
     */
    set(tokens, first) {
      offset = first;
      page.clear();
      for (const token of tokens) page.add(token);
      shown = null;
      drawArcs();
    },
    /** @param {{ text: string, nats: number }} step */
    add(step) {
      page.add(step);
      if (shown) drawArcs();
    },
    /** Removes the caret, because no more text follows. */
    rest() {
      page.end();
    },
    /** Draws the attention of the selected token. @param {number} place @param {Pick<AttentionMap, 'keys' | 'weights'> | null} map */
    showMap(place, map) {
      shown = map && { from: place, map };
      drawArcs();
    },
  };
}
