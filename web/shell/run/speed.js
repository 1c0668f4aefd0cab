// SPDX-License-Identifier: MIT
// Builds a slider for the drawing speed of a picture.
// @ts-check
import { make, reducedMotion } from '../page/dom.js';
import { phrase } from '../page/phrase.js';

/**
 * @param {{ id: string, speeds: number[], first: number, unit?: string }} options speeds: elements per second; first: index of the initial
 *   speed
 * @param {(speed: number) => void} onSpeed called with each new speed, and immediately with the initial speed
 */
export function createSpeed({ id, speeds, first, unit = phrase`pixels` }, onSpeed) {
  const input = make('input', { id, type: 'range', min: '0', max: String(speeds.length - 1), step: '1', value: String(first) });
  const output = make('output', { id: `${id}-text`, for: id });
  const show = () => {
    const speed = speeds[Number(input.value)];
    const text = speed === Infinity ? phrase`as fast as possible` : phrase`${speed} ${unit} a second`;
    output.textContent = reducedMotion() ? phrase`${text} (not used, because your system asks for less motion)` : text;
    input.setAttribute('aria-valuetext', text);
    onSpeed(speed);
  };
  input.addEventListener('input', show);
  matchMedia('(prefers-reduced-motion: reduce)').addEventListener('change', show);
  show();
  return { label: make('label', { for: id }, phrase`Speed`), input, output };
}
