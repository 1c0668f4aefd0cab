// SPDX-License-Identifier: MIT
import{NextPixelElement}from"./element.js";globalThis.customElements&&!customElements.get("next-pixel")&&NextPixelElement.define();export{NextPixelElement};
