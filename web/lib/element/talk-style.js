// SPDX-License-Identifier: MIT
// @ts-check

/** The style of a chat, on a page and in the element. */

import { sheetOf } from './sheet-of.js';

const STYLE = `
  .talk { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; width: var(--nx-text-width, 36em); max-width: 100%; font: 0.95rem/1.5 var(--nx-chat-font, system-ui, sans-serif); text-align: start; }
  .talk [hidden] { display: none !important; }
  .talk-list { box-sizing: border-box; height: var(--nx-chat-height, 20rem); margin: 0; padding: 0.75rem; overflow-y: auto; overscroll-behavior: contain; list-style: none; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: 4px; }
  .talk-turn { margin: 0 0 0.9rem; }
  .talk-who { display: block; font-size: 0.8rem; font-weight: 600; opacity: 0.75; }
  .talk-body { white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 3px; user-select: text; }
  .talk .user .talk-body { padding: 0.4rem 0.6rem; background: color-mix(in srgb, currentcolor 8%, transparent); }
  .talk-answer .talk-body { cursor: text; min-height: 1.5em; }
  .talk.shaded .talk-answer span { background: color-mix(in srgb, var(--nx-surprise, var(--nx-accent, #e07b00)) calc(60% * var(--shade, 0)), transparent); }
  .talk .marked { outline: 2px solid var(--nx-accent, currentcolor); outline-offset: 1px; border-radius: 2px; }
  .talk-thoughts { margin: 0.2rem 0; font-size: 0.9em; }
  .talk-thoughts summary, .talk-system summary { width: fit-content; min-height: 1.75rem; cursor: pointer; }
  .talk-thought { padding-inline-start: 0.75rem; border-inline-start: 2px solid color-mix(in srgb, currentcolor 30%, transparent); }
  .talk-others { display: flex; flex-wrap: wrap; gap: 0.35rem; margin: 0.4rem 0; padding: 0; list-style: none; }
  .talk-share { margin-inline-start: 0.5em; font-variant-numeric: tabular-nums; opacity: 0.8; }
  .talk-token { font-weight: 600; }
  .talk [aria-current] { border-width: 2px; }
  .talk textarea { box-sizing: border-box; width: 100%; padding: 0.5rem; border: 1px solid color-mix(in srgb, currentcolor 45%, transparent); border-radius: 4px; background: transparent; color: inherit; font: inherit; resize: vertical; }
  .talk button { min-height: 2.5em; padding: 0.3em 1em; border: 1px solid currentcolor; border-radius: 3px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
  .talk button.talk-small { min-height: 2em; padding: 0.1em 0.6em; font-size: 0.85rem; }
  .talk .user { display: grid; grid-template-columns: minmax(0, 1fr); justify-items: start; }
  .talk .user .talk-body { justify-self: stretch; }
  .talk .user .talk-small { margin-top: 0.3rem; }
  .talk button[aria-pressed="true"] { background: color-mix(in srgb, currentcolor 12%, transparent); }
  .talk button.primary { font-weight: 600; }
  .talk button:hover:not(:disabled) { color: var(--nx-accent, currentcolor); }
  .talk :is(button, textarea, summary, .talk-list, .talk-body):focus-visible { outline: 2px solid var(--nx-accent, currentcolor); outline-offset: 2px; }
  .talk button:disabled { opacity: 0.5; cursor: default; }
  .talk-bar { display: flex; flex-wrap: wrap; gap: 0.5rem; }
  .talk-edit { display: flex; flex-wrap: wrap; gap: 0.4rem; }
  .talk-figures { min-height: 1.4em; margin: 0; font-size: 0.85rem; font-variant-numeric: tabular-nums; opacity: 0.85; }
  .talk-hint { padding: 0.5rem; border: 1px solid currentcolor; }
  .talk-hint p { margin: 0 0 0.4rem; }
  .talk-error { margin: 0; padding: 0.5rem; border: 1px solid currentcolor; overflow-wrap: anywhere; }
  @media (forced-colors: active) { .talk.shaded .talk-answer span { border-bottom: calc(4px * var(--shade, 0)) solid; } .talk button:disabled { opacity: 1; color: GrayText; border-color: GrayText; } }
  @media print { .talk-bar, .talk-field { display: none; } .talk-list { height: auto; } }
`;

const sheetIn = sheetOf(STYLE);

/** Applies the style to a box in any document or shadow root. @param {HTMLElement} box */
export function fit(box) {
  const root = /** @type {Document | ShadowRoot} */ (box.getRootNode());
  const sheet = sheetIn(box.ownerDocument);
  if (!sheet || !root.adoptedStyleSheets) return;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
