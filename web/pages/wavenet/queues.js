// SPDX-License-Identifier: MIT
// The queues of five layers as rings that turn: what is read was written a turn ago, and gives its place to the new value.
// @ts-check
import { byId, makeSvg, reducedMotion } from '../../shell/index.js';

const DILATIONS = [1, 2, 4, 8, 16];
const TURN_MS = 350;
const [WIDTH, HEIGHT, SIDE] = [100, 116, 84];

export function createQueues() {
  const [root, said, step, turn] = [byId('queues'), byId('queues-said'), byId('queue-step'), byId('queue-run')];
  let t = 20;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  root.setAttribute('viewBox', `0 0 ${DILATIONS.length * WIDTH} ${HEIGHT}`);

  function draw() {
    const parts = DILATIONS.flatMap((d, l) => {
      const [cx, cy] = [l * WIDTH + WIDTH / 2, SIDE / 2 + 8];
      const radius = d === 1 ? 0 : SIDE / 2 - 6;
      const size = Math.max(4.5, Math.min(12, (Math.PI * radius) / d - 1.5) || 12);
      const slots = Array.from({ length: d }, (_, i) => {
        const angle = (2 * Math.PI * i) / d - Math.PI / 2;
        // What slot i holds: the last sample before t that is i modulo d; at slot t mod d that is t - d, which is read now.
        const holds = t - 1 - ((((t - 1 - i) % d) + d) % d);
        const [x, y] = [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
        const reading = i === t % d;
        const circle = makeSvg('circle', { cx: x, cy: y, r: size, class: reading ? 'reading' : holds < 0 ? 'empty' : 'held' });
        return size < 7 ? [circle] : [circle, makeSvg('text', { x, y: y + 3, class: 'slot' }, holds < 0 ? '–' : String(holds))];
      });
      return [...slots.flat(), makeSvg('text', { x: cx, y: HEIGHT - 6, class: 'name' }, `d = ${d}`)];
    });
    root.replaceChildren(...parts);
    const read = DILATIONS.map((d) => (t >= d ? t - d : undefined));
    said.textContent = `Sample ${t}: the layers read what they made at ${read.map((at) => at ?? 'nothing yet').join(', ')}.`;
  }
  function next() {
    t++;
    draw();
  }
  function halt() {
    clearInterval(timer);
    timer = undefined;
    turn.setAttribute('aria-pressed', 'false');
    turn.textContent = 'Let them turn';
    said.setAttribute('role', 'status');
  }
  step.addEventListener('click', () => {
    halt();
    next();
  });
  turn.addEventListener('click', () => {
    if (timer) return halt();
    said.removeAttribute('role'); // nobody wants that read aloud three times a second
    turn.setAttribute('aria-pressed', 'true');
    turn.textContent = 'Stop';
    timer = setInterval(() => (document.hidden ? undefined : next()), reducedMotion() ? 3 * TURN_MS : TURN_MS);
  });
  draw();
}
