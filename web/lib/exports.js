// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The entry point of web/dist/shared.js, from which the other files of web/dist import. Exports the library itself, and the functions that
 * the element, the pages and the lazily loaded files use.
 */

export { abortable } from './base/abort.js';
export { heardBy } from './base/heard-by.js';
export { checkSaved, finite, arrayOf, numbersOf, object, optional, whole } from './runs/saved.js';
export { BaseRun, modelName, noSavedRun, resumedOptions } from './runs/base-run.js';
export { copyOf } from './base/copy.js';
export { keeper, storedCopy } from './load/cache.js';
export { CACHE_NAME } from './load/cache-name.js';
export { Codec, quantise } from './media/codec.js';
export { blank, paint, picture } from './sinks/pixels.js';
export { argumentError, reading } from './base/error.js';
export { hint, playerAddress, startOwn, workerAddress, workerText } from './files.js';
export { fromRGBA } from './media/ground.js';
export { holds, inputOf, pictureOf, reduce } from './media/image.js';
export * from './index.js';
export { Link } from './workers/link.js';
export { openModel } from './model/model.js';
export { within } from './load/patience.js';
export { again, part } from './base/part.js';
export { isPromise } from './base/promise.js';
export { atOnce, inTurns, withValue } from './base/turns.js';
export { listOf, wholeOf } from './engine/keys.js';
export { vouched } from './base/vouch.js';
export { classOf } from './base/realm.js';
export { checkLabel, checkOptions, checkSettings, checkShown, flag, show, wholeNumber, wrongAnswer } from './base/checks.js';
export { KINDS } from './kinds/index.js';
export { inputsOf } from './kinds/picture/pictures.js';
export { ALL, argumentsOf, optionsOf } from './verbs/table.js';
export { ROWS } from './settings.js';
export { deferred, inNode, nodeModule } from './base/platform.js';
export { atNextFrame, contextOf, showAll, watchColours } from './sinks/canvas.js';
export { PictureSink, widthOf } from './sinks/picture.js';
export { compile, compileBest } from './workers/wasm.js';
export { fastest } from './workers/simd.js';
export {
  MAX_BYTES,
  bytesOf,
  checkResponse,
  chunksOf,
  disk,
  fetchOrFail,
  isAddress,
  isBytes,
  joined,
  messageOf,
  readSource,
} from './load/source.js';
