// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Registers <next-pixel>. The one module with a side effect: `<script type="module" src=".../define.js"></script>`.
 * Where the name is taken, by another copy of the library, that copy stays; where there is no document, nothing happens.
 */

import { NextPixelElement } from './element.js';

if (globalThis.customElements && !customElements.get('next-pixel')) NextPixelElement.define();

export { NextPixelElement };
