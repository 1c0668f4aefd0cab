// made of sources 7d5e5d20b0feeb2786e6800575c2715646e98a89f53e33f781e8d14edddf36d3 by ./build.sh js
// SPDX-License-Identifier: MIT
import{createEndings as t,createStore as a,initialState as e,startPage as r}from"./page-shell.js";r(t(a(e()),"fvsbn").load());
