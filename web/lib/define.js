// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Registers <next-pixel> when the script is loaded: `<script type="module" src=".../define.js"></script>`. No other module of the library
 * registers an element when it is loaded. If another copy of the library has already registered the name, the element of that copy stays in
 * use. Without a document, nothing happens.
 */

import { NextPixelElement } from './element.js';

if (globalThis.customElements && !customElements.get('next-pixel')) NextPixelElement.define();

export { NextPixelElement };
