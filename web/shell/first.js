// SPDX-License-Identifier: MIT
// Where a page's head asks for weights, the wasm that is the fastest here is asked for beside them. The head cannot: which one that is must be tried.
// @ts-check
import { build } from '../lib/files.js';
import { fastest } from '../lib/simd.js';

/** The weights that it asks for. @type {HTMLLinkElement | null} */
export const weights = document.querySelector('link[rel="preload"][href$=".gguf"]');

if (weights) {
  const link = document.createElement('link');
  link.rel = 'preload';
  link.as = 'fetch';
  link.crossOrigin = '';
  link.href = String(build(fastest()));
  document.head.append(link);
}
