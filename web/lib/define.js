// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Registers <next-pixel>. No other module has a side effect: `<script type="module" src=".../define.js"></script>`. If another copy of the
 * library has already registered the name, that copy stays. Without a document, nothing happens.
 */

import { NextPixelElement } from './element.js';

if (globalThis.customElements && !customElements.get('next-pixel')) NextPixelElement.define();

export { NextPixelElement };
