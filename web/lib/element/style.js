// SPDX-License-Identifier: MIT
// @ts-check

/** The style of <next-pixel>. */

import { sheetOf } from './sheet-of.js';

const STYLE = `
  :host { display: inline-block; max-width: 100%; font: 0.875rem/1.4 system-ui, sans-serif; }
  :host([hidden]) { display: none; }
  .frame { display: grid; grid-template-columns: minmax(0, 1fr); justify-items: start; position: relative; }
  .frame > * { grid-area: 1 / 1; }
  .kept > slot { display: block; position: absolute; inset: 0; overflow: hidden; }
  .kept > slot::slotted(*) { max-width: 100%; max-height: 100%; }
  canvas { display: block; width: calc(var(--columns) * var(--nx-pixel, 5px)); max-width: 100%; image-rendering: pixelated; object-fit: contain; }
  .poster { max-width: 100%; image-rendering: pixelated; object-fit: contain; }
  canvas:not([hidden]) ~ .poster { position: absolute; width: 100%; height: 100%; object-position: left top; }
  .blank { visibility: hidden; }
  .outlined { visibility: visible; outline: 1px dashed color-mix(in srgb, currentcolor 45%, transparent); outline-offset: -1px; }
  canvas.text.outlined { outline-offset: 3px; }
  .error { max-width: 30em; margin: 0; padding: 0.5em; border: 1px solid currentcolor; align-self: center; overflow-wrap: anywhere; }
  canvas.text { width: var(--nx-text-width, 36em); height: var(--nx-text-height, 12em); image-rendering: auto; --nx-surprise: var(--nx-accent, #e07b00); }
  .told { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .told.page {
    position: static; box-sizing: border-box; width: var(--nx-text-width, 36em); max-width: 100%; height: var(--nx-text-height, 12em); margin: 0; overflow-x: hidden; overflow-y: auto; clip-path: none;
    white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.55; --nx-shade: var(--nx-surprise, var(--nx-accent, #e07b00));
  }
  .told.page:focus-visible { outline: 2px solid var(--nx-accent, currentcolor); outline-offset: 2px; }
  .told.page span { background: color-mix(in srgb, var(--nx-shade) calc(60% * var(--shade, 0)), transparent); }
  .told.page .given { opacity: 0.72; }
  .aligned { display: flex; flex-direction: column; justify-content: space-between; gap: 2.5em; position: relative; min-height: 100%; isolation: isolate; word-spacing: 0.35em; }
  .aligned.broken { gap: 1em; }
  .aligned p { margin: 0; }
  .aligned .below { color: color-mix(in srgb, currentcolor 80%, transparent); }
  .aligned svg { position: absolute; inset: 0; z-index: -1; width: 100%; height: 100%; fill: none; stroke: var(--nx-shade); stroke-linecap: round; }
  canvas.written { visibility: hidden; }
  /* space below for the focus rings of the buttons */
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75em; margin-top: 0.6em; padding-bottom: 4px; }
  button {
    min-height: 2.5em; padding: 0.3em 1em; border: 1px solid currentcolor; border-radius: 3px; background: transparent;
    color: inherit; font: inherit; cursor: pointer;
  }
  button:hover:not(:disabled) { color: var(--nx-accent, currentcolor); }
  button:focus-visible { outline: 2px solid var(--nx-accent, currentcolor); outline-offset: 2px; }
  button:disabled { opacity: 0.5; cursor: default; }
  .status { font-variant-numeric: tabular-nums; }
  .paper, .ink, .drawn { forced-color-adjust: none; }
  .paper { color: var(--nx-paper, #000); }
  .ink { color: var(--nx-ink, #fff); }
  .drawn { color: var(--nx-drawn, var(--nx-ink, #fff)); }
  [hidden] { display: none !important; }
  @media (forced-colors: active) {
    .told.page span { border-bottom: calc(4px * var(--shade, 0)) solid; }
    button:disabled { opacity: 1; color: GrayText; border-color: GrayText; }
    .outlined { outline-color: GrayText; }
  }
  @media print { .controls { display: none; } }
`;

const sheetIn = sheetOf(STYLE);

/**
 * Applies the style in the element's current document. When an element moves to another document, the old document's sheet is lost.
 * @param {ShadowRoot} root
 */
export function dress(root) {
  const { ownerDocument: document } = root;
  const sheet = sheetIn(document);
  if (sheet) {
    root.adoptedStyleSheets = [sheet];
  } else if (document.defaultView && !root.querySelector('style')) {
    // This environment (jsdom, for example) does not support constructed style sheets.
    const style = document.createElement('style');
    style.textContent = STYLE;
    root.append(style);
  }
}
