// SPDX-License-Identifier: MIT
// Provides the colours of the figures. The colours are read from the CSS custom properties in page.css, so that each theme is defined in
// one place.
// @ts-check

const HEAT_STEPS = 64;

/**
 * @typedef {Object} Palette
 * @property {string} paper
 * @property {string} wash colour of the part that is not drawn yet
 * @property {string} ink
 * @property {string} accent
 * @property {string} edge
 * @property {string[]} known 256 colours from paper to ink, for the given part
 * @property {string[]} predicted 256 colours from paper to the second ink, for the drawn part
 * @property {string[]} ghost 256 colours from paper to a pale ink, for the part that the model must not see
 * @property {(t: number) => string} heat returns the colour of a position on the heat ramp, 0 to 1
 */

/** @typedef {[number, number, number]} RGB 0..255 */

/** @param {string} text '#rrggbb' @returns {RGB} */
export const rgbOf = (text) => {
  const n = parseInt(text.trim().slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
};

/** @param {RGB} a @param {RGB} b @param {number} t @returns {RGB} */
const mix = (a, b, t) => {
  /** @param {0 | 1 | 2} i */
  const channel = (i) => Math.round(a[i] + (b[i] - a[i]) * t);
  return [channel(0), channel(1), channel(2)];
};

/**
 * Returns a function that maps a position on the heat ramp, 0 to 1, to its colour. The ramp has 64 discrete steps.
 * @param {RGB[]} stops
 * @returns {(share: number) => RGB}
 */
export const heatRamp = (stops) => (share) => {
  const t = (Math.round(share * (HEAT_STEPS - 1)) / (HEAT_STEPS - 1)) * (stops.length - 1);
  const k = Math.min(stops.length - 2, Math.floor(t));
  return mix(stops[k], stops[k + 1], t - k);
};

/** @param {RGB} c */
const css = (c) => `rgb(${c[0]} ${c[1]} ${c[2]})`;

/** @param {RGB} from @param {RGB} to @param {number} n @returns {string[]} */
const ramp = (from, to, n) => Array.from({ length: n }, (_, i) => css(mix(from, to, i / (n - 1))));

/** @returns {Palette} */
function read() {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const colour = (name) => rgbOf(style.getPropertyValue(`--${name}`));
  const paper = colour('paper');
  const heatOf = heatRamp([0, 1, 2, 3, 4].map((i) => colour(`heat-${i}`)));
  const heat = Array.from({ length: HEAT_STEPS }, (_, i) => css(heatOf(i / (HEAT_STEPS - 1))));
  return {
    paper: css(paper),
    wash: css(colour('wash')),
    ink: css(colour('ink')),
    accent: css(colour('predicted')),
    edge: css(colour('edge')),
    known: ramp(paper, colour('ink'), 256),
    predicted: ramp(paper, colour('predicted'), 256),
    ghost: ramp(paper, mix(paper, colour('ink'), 0.2), 256),
    heat: (t) => heat[Math.round(Math.min(1, Math.max(0, t)) * (HEAT_STEPS - 1))],
  };
}

/** @type {Palette | null} */
let current = null;

/** Returns the palette of the current theme. */
export const palette = () => (current ??= read());

/**
 * Calls a function after each change of the theme.
 * @param {() => void} listener
 */
export function onTheme(listener) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    current = null;
    listener();
  });
}
