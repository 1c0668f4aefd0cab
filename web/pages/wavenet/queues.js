// SPDX-License-Identifier: MIT
// Draws the queues of five layers as rotating rings. In each ring, each step reads the value that was written one turn of the ring earlier,
// and then replaces this value with the new value.
// @ts-check
import { byId, makeSvg, phrase, reducedMotion } from '../../shell/index.js';

const DILATIONS = [1, 2, 4, 8, 16];
const TURN_MS = 350;
/** Radius of a slot, large enough for the index of the sample in the slot. Each layer has a ring with as many slots as its dilation. */
const SLOT = 10;
const RADII = DILATIONS.map((d) => (d === 1 ? 0 : Math.max(18, ((SLOT + 1.2) * d) / Math.PI)));
const CENTRES = RADII.reduce(
  (/** @type {number[]} */ all, radius, l) => [...all, l === 0 ? SLOT + 4 : all[l - 1] + RADII[l - 1] + radius + 2 * SLOT + 14],
  [],
);
const WIDTH = CENTRES[CENTRES.length - 1] + RADII[RADII.length - 1] + SLOT + 4;
const SIDE = 2 * (RADII[RADII.length - 1] + SLOT) + 8;
const HEIGHT = SIDE + 22;

export function createQueues() {
  const [root, said, step, turn] = [byId('queues'), byId('queues-said'), byId('queue-step'), byId('queue-run')];
  let t = 20;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  root.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);

  function draw() {
    const parts = DILATIONS.flatMap((d, l) => {
      const [cx, cy] = [CENTRES[l], SIDE / 2];
      const radius = RADII[l];
      const slots = Array.from({ length: d }, (_, i) => {
        const angle = (2 * Math.PI * i) / d - Math.PI / 2;
        // Slot i holds the last sample before t whose index modulo d is i. Slot t mod d holds sample t - d, which is read now.
        const holds = t - 1 - ((((t - 1 - i) % d) + d) % d);
        const [x, y] = [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
        const reading = i === t % d;
        const circle = makeSvg('circle', { cx: x, cy: y, r: SLOT, class: reading ? 'reading' : holds < 0 ? 'empty' : 'held' });
        return [circle, makeSvg('text', { x, y: y + 3, class: 'slot' }, holds < 0 ? '–' : String(holds))];
      });
      return [...slots.flat(), makeSvg('text', { x: cx, y: HEIGHT - 6, class: 'name' }, `d = ${d}`)];
    });
    root.replaceChildren(...parts);
    const read = DILATIONS.map((d) => (t >= d ? t - d : undefined));
    said.textContent = phrase`Sample ${t}: the layers read the values that they stored at ${read.map((at) => at ?? phrase`nothing yet`).join(', ')}.`;
  }
  function next() {
    t++;
    draw();
  }
  function halt() {
    clearInterval(timer);
    timer = undefined;
    turn.setAttribute('aria-pressed', 'false');
    turn.textContent = phrase`Run`;
    said.setAttribute('role', 'status');
  }
  step.addEventListener('click', () => {
    halt();
    next();
  });
  turn.addEventListener('click', () => {
    if (timer) return halt();
    said.removeAttribute('role'); // without the role, screen readers do not announce the text three times a second
    turn.setAttribute('aria-pressed', 'true');
    turn.textContent = phrase`Stop`;
    timer = setInterval(() => (document.hidden ? undefined : next()), reducedMotion() ? 3 * TURN_MS : TURN_MS);
  });
  draw();
}
