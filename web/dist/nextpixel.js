// SPDX-License-Identifier: MIT
export{NextPixelError,acquire,cache,load,supported,tokenizer}from"./shared.js";
