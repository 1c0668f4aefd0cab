// SPDX-License-Identifier: MIT
// Draws the network from bottom to top, as in the paper's figure. Each box is a button. Numbers move along the arrows between the boxes.
// @ts-check
import { make, makeSvg, phrase, reducedMotion } from '../../shell/index.js';
import { nameOf } from './boxes.js';

/** @import { Box } from './boxes.js' */
/** @import { Shape } from './networks.js' */

/** Widths, heights and distances in the units of the drawing. */
const [WIDTH, BOX, STEP, HEIGHT, FRAME, FOOT] = [328, 122, 37, 27, 6, 34];

/**
 * @param {Box[]} boxes
 * @param {Shape} shape
 * @param {(box: Box) => void} onOpen
 */
export function createDiagram(boxes, shape, onOpen) {
  const sides = /** @type {const} */ (['enc', 'dec']).filter((side) => boxes.some((box) => box.side === side));
  const tall = Math.max(...sides.map((side) => boxes.filter((box) => box.side === side).length));
  const height = tall * STEP + 2 * FOOT;
  /** Left edge (x) and vertical middle (y) of each box. @type {Map<Box, { x: number, y: number }>} */
  const places = new Map();
  for (const side of sides) {
    const x = sides.length === 1 ? (WIDTH - BOX) / 2 : side === 'enc' ? 26 : WIDTH - BOX - 26;
    boxes.filter((box) => box.side === side).forEach((box, i) => places.set(box, { x, y: height - FOOT - STEP * (i + 0.5) }));
  }
  const place = (/** @type {Box} */ box) => /** @type {{ x: number, y: number }} */ (places.get(box));
  const lines = makeSvg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, class: 'diagram-lines', 'aria-hidden': 'true' });
  const numbers = makeSvg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, class: 'diagram-numbers', 'aria-hidden': 'true' });
  /** The lines along which a number moves from one box to the next. @type {{ from: Box, to?: Box, text: SVGElement }[]} */
  const flows = [];
  /** @param {string} d @param {string} [kind] */
  const arrow = (d, kind = '') => lines.append(makeSvg('path', { d, class: `wire ${kind}` }));
  /** @param {Box} from @param {Box | undefined} to @param {string} d */
  const carry = (from, to, d) => {
    const text = makeSvg('text', { class: 'flow' });
    text.style.setProperty('offset-path', `path("${d}")`);
    numbers.append(text);
    flows.push({ from, to, text });
  };
  const [half, middle] = [HEIGHT / 2, BOX / 2];

  for (const side of sides) {
    const column = boxes.filter((box) => box.side === side);
    column.forEach((box, i) => {
      const { x, y } = place(box);
      arrow(`M${x + middle} ${i === 0 ? y + half + 16 : y + STEP - half} V${y + half}`);
      if (i > 0) carry(column[i - 1], box, `M${x + BOX - 20} ${y + STEP} V${y}`);
      // Draws the residual connection around a sublayer.
      const next = column[i + 1];
      const outer = side === 'enc' || sides.length === 1 ? -1 : 1;
      const edge = outer < 0 ? x : x + BOX;
      if (['attend', 'feed'].includes(box.kind) && next?.kind === 'norm' && next.title.startsWith('Add')) {
        arrow(`M${x + middle} ${y + half + 5} H${edge + outer * 9} V${place(next).y} H${edge}`, 'around');
        if (i > 0) carry(column[i - 1], next, `M${x + middle} ${y + half + 5} H${edge + outer * 9} V${place(next).y} H${edge}`);
      } else if (box.adds) {
        const { y: below } = place(column[i - 1]);
        arrow(`M${x + middle} ${below + half + 5} H${edge + outer * 9} V${y} H${edge}`, 'around');
      }
    });
    const last = column[column.length - 1];
    if (side === 'dec') {
      arrow(`M${place(last).x + middle} ${place(last).y - half} v-14`);
      carry(last, undefined, `M${place(last).x + middle} ${place(last).y} v-${half + 14}`);
    }
  }
  if (sides.length === 2) {
    const top = boxes.filter(({ side }) => side === 'enc').pop();
    const from = top && place(top);
    for (const box of boxes.filter(({ id }) => id.endsWith('.cross'))) {
      if (!from || !top) continue;
      const way = `M${from.x + middle} ${from.y - half} v-10 H${WIDTH / 2} V${place(box).y} H${place(box).x}`;
      arrow(way, 'across');
      carry(top, box, way);
    }
  }
  // Draws the frames around the blocks.
  for (const side of sides) {
    for (let n = 0; n < (side === 'enc' ? shape.encoderBlocks : shape.blocks); n++) {
      const all = boxes.filter((box) => box.side === side && box.block === n).map(place);
      const [above, below] = [Math.min(...all.map(({ y }) => y)) - half - FRAME, Math.max(...all.map(({ y }) => y)) + half + FRAME - 1];
      const wide = 16;
      lines.prepend(makeSvg('rect', { x: all[0].x - wide, y: above, width: BOX + 2 * wide, height: below - above, rx: 6, class: 'frame' }));
    }
  }

  const buttons = new Map(
    boxes.map((box) => {
      const { x, y } = place(box);
      const button = make(
        'button',
        { type: 'button', class: `box box-${box.kind}`, 'aria-pressed': 'false', 'aria-label': nameOf(box, shape), 'data-box': box.id },
        phrase(box.title),
      );
      Object.assign(button.style, {
        left: `${(100 * x) / WIDTH}%`,
        top: `${(100 * (y - half)) / height}%`,
        width: `${(100 * BOX) / WIDTH}%`,
        height: `${(100 * HEIGHT) / height}%`,
      });
      button.addEventListener('click', () => onOpen(box));
      return [box, button];
    }),
  );
  const label = (/** @type {string} */ side, /** @type {'foot' | 'head'} */ end) => {
    const words = make('span', { class: `diagram-words ${end}` });
    const column = boxes.filter((box) => box.side === side);
    Object.assign(words.style, {
      left: `${(100 * (place(column[0]).x - 26)) / WIDTH}%`,
      width: `${(100 * (BOX + 52)) / WIDTH}%`,
      [end === 'foot' ? 'bottom' : 'top']: '0',
    });
    return words;
  };
  const [below, above] = [sides.map((side) => label(side, 'foot')), label('dec', 'head')];
  const drawing = make(
    'div',
    {
      class: 'diagram',
      role: 'group',
      'aria-label': phrase`The network, from bottom to top. The arrow keys walk through its boxes; Enter opens one.`,
    },
    ...buttons.values(),
    ...below,
    above,
    numbers,
  );
  drawing.prepend(lines);
  drawing.style.aspectRatio = `${WIDTH} / ${height}`;
  drawing.style.setProperty('--ratio', String(WIDTH / height));

  drawing.addEventListener('keydown', (event) => {
    const at = [...buttons].find(([, button]) => button === event.target)?.[0];
    if (!at) return;
    const column = boxes.filter(({ side }) => side === at.side);
    const other = boxes.filter(({ side }) => side !== at.side);
    const nearest = () => [...other].sort((a, b) => Math.abs(place(a).y - place(at).y) - Math.abs(place(b).y - place(at).y))[0];
    const next = {
      ArrowUp: () => column[column.indexOf(at) + 1],
      ArrowDown: () => column[column.indexOf(at) - 1],
      ArrowLeft: () => (at.side === 'dec' ? nearest() : undefined),
      ArrowRight: () => (at.side === 'enc' ? nearest() : undefined),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    const box = next();
    if (!box) return;
    buttons.get(box)?.focus();
  });

  return {
    root: drawing,
    /** @param {Box} box */
    select(box) {
      for (const [one, button] of buttons) button.setAttribute('aria-pressed', String(one === box));
    },
    /** Sets the labels below and above the drawing. @param {string[]} read one label for each side @param {string} written */
    label(read, written) {
      below.forEach((words, i) => {
        words.textContent = read[i];
      });
      above.textContent = written;
    },
    /**
     * Moves numbers along the lines once, from bottom to top.
     * @param {(box: Box) => string} says returns the number that leaves a box
     * @param {Box} [into] box to highlight. If given, numbers move three times, and only along the lines that lead to this box
     */
    flow(says, into) {
      if (reducedMotion()) return;
      for (const { from, to, text } of flows) {
        for (const one of text.getAnimations()) one.cancel();
        if (into && to !== into) continue;
        text.textContent = says(from);
        const level = (height - FOOT - place(from).y) / STEP;
        text.animate(
          [
            { offsetDistance: '0%', opacity: 0 },
            { offsetDistance: '15%', opacity: 1, offset: 0.15 },
            { offsetDistance: '85%', opacity: 1, offset: 0.85 },
            { offsetDistance: '100%', opacity: 0 },
          ],
          { duration: into ? 1400 : 900, delay: into ? 0 : 110 * level, iterations: into ? 3 : 1 },
        );
      }
    },
  };
}
