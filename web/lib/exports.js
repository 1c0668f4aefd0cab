// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The contents of web/dist/shared.js for the other files of web/dist: the library itself, and what the element, the pages and the files that are
 * loaded later use of it. web/bundle.js says which name is missing here.
 */

export { abortable } from './abort.js';
export { BaseRun, modelName, noSavedRun, resumedOptions, savedRun } from './base-run.js';
export { CACHE_NAME, copyOf, dropCopy, keeper } from './cache.js';
export { Codec, quantise } from './codecs/picture.js';
export { blank, paint, picture } from './sinks/pixels.js';
export { argumentError } from './error.js';
export { hint, playerAddress, workerText } from './files.js';
export { fromRGBA, holds, inputOf, pictureOf, reduce } from './image.js';
export * from './index.js';
export { Link } from './link.js';
export { within } from './patience.js';
export { CODES } from './protocol.js';
export { classOf } from './realm.js';
export { checkLabel, checkOptions, checkSettings, show, wholeNumber } from './checks.js';
export { canBeKnown, inputsOf } from './pictures.js';
export { ALL } from './verbs/tasks.js';
export { ROWS } from './settings.js';
export { inNode, nodeModule } from './platform.js';
export { atNextFrame, contextOf, showAll, watchColours } from './sinks/canvas.js';
export { PictureSink, widthOf } from './sinks/picture.js';
export { compile, compileBest } from './wasm.js';
export { fastest } from './simd.js';
export { MAX_BYTES, chunksOf, disk, fetchOrFail, isAddress, isBytes, joined, messageOf, readSource } from './source.js';
