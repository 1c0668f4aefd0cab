// SPDX-License-Identifier: MIT
export{NextPixelError,acquire,load,supported,tokenizer}from"./shared.js";
