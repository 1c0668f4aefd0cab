// SPDX-License-Identifier: MIT
// @ts-check

/** Key events that pages must ignore: keys during a composition, the Enter after a composition as Safari reports it, and shortcuts. */
export const KEYS = [
  { key: 'Enter', isComposing: true, keyCode: 229 },
  { key: 'Enter', isComposing: false, keyCode: 229 },
  { key: 'Escape', isComposing: true, keyCode: 229 },
  // Shortcuts of the browser itself: go back, go to the start of the page, zoom in.
  { key: 'ArrowLeft', altKey: true },
  { key: 'Home', ctrlKey: true },
  { key: '+', metaKey: true },
];
