// SPDX-License-Identifier: MIT
import{NextPixelError,load,supported}from"./shared.js";export{NextPixelError,load,supported};
