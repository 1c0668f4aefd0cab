// SPDX-License-Identifier: MIT
// Copies a model's weight file, and turns off the position encodings in the copy. Only the metadata changes: the position encoding is
// "none" instead of "sinusoidal".
// @ts-check

const KEY = 'transformer.position.type';
/** The string value of this key is padded with spaces, so that the tensors after it keep their offsets. */
const SPARE = 'general.description';
const STRING = 8;

/**
 * Returns the offset and length of a key's string value. The file stores the length in 64 bits right before the string.
 * @param {Uint8Array} file
 * @param {string} key
 */
function find(file, key) {
  const head = new TextDecoder('latin1').decode(file.subarray(0, 1 << 16));
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = head.indexOf(key); at >= 8; at = head.indexOf(key, at + 1)) {
    const value = at + key.length;
    if (Number(view.getBigUint64(at - 8, true)) !== key.length || view.getUint32(value, true) !== STRING) continue;
    return { at: value + 12, length: Number(view.getBigUint64(value + 4, true)) };
  }
  throw new Error(`The weight file has no key ${key}`);
}

/**
 * @param {Uint8Array} file
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function withoutPositions(file) {
  const none = new TextEncoder().encode('none');
  const [type, spare] = [find(file, KEY), find(file, SPARE)];
  const left = type.length - none.length;
  /** @type {{ from: number, to: number, text: Uint8Array }[]} */
  const edits = [
    { from: type.at, to: type.at + type.length, text: none },
    { from: spare.at + spare.length, to: spare.at + spare.length, text: new Uint8Array(left).fill(0x20) },
  ].sort((a, b) => a.from - b.from);
  const copy = new Uint8Array(file.length);
  let [read, written] = [0, 0];
  const take = (/** @type {Uint8Array} */ bytes) => {
    copy.set(bytes, written);
    written += bytes.length;
  };
  for (const { from, to, text } of edits) {
    take(file.subarray(read, from));
    take(text);
    read = to;
  }
  take(file.subarray(read));
  const view = new DataView(copy.buffer);
  const moved = (/** @type {number} */ at) =>
    type.at < spare.at && at > type.at ? at - left : spare.at < type.at && at > spare.at ? at + left : at;
  view.setBigUint64(moved(type.at) - 8, BigInt(none.length), true);
  view.setBigUint64(moved(spare.at) - 8, BigInt(spare.length + left), true);
  return copy;
}
