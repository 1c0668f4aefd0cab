// SPDX-License-Identifier: MIT
// @ts-check

/** Patches a WebAssembly binary that has no imports, to test the library with an engine that fails. */

const MEMORY = 5,
  EXPORT = 7,
  CODE = 10;

/** WebAssembly instructions for patched functions. */
export const UNREACHABLE = [0x00];
/** @param {number} value  0 to 63 */
export const constant = (value) => [0x41, value];

/**
 * @param {Uint8Array} wasm
 * @param {{ functions?: Record<string, number[]>, maxPages?: number }} changes  functions: the new instructions of each function, by
 *   exported name
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function patch(wasm, { functions = {}, maxPages }) {
  let at = 8;
  const leb = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const sections = [];
  while (at < wasm.length) {
    const id = wasm[at++];
    const size = leb();
    sections.push({ id, start: at, end: at + size });
    at += size;
  }
  /** @type {Map<number, number[]>} */
  const bodies = new Map();
  const exported = sections.find(({ id }) => id === EXPORT);
  if (exported) {
    at = exported.start;
    for (let i = leb(); i > 0; i--) {
      const length = leb();
      const name = new TextDecoder().decode(wasm.subarray(at, (at += length)));
      const kind = wasm[at++];
      const index = leb();
      if (kind === 0 && functions[name]) bodies.set(index, functions[name]);
    }
  }
  if (bodies.size !== Object.keys(functions).length) throw new Error('a function to patch is not exported');

  const out = [...wasm.subarray(0, 8)];
  for (const { id, start, end } of sections) {
    /** @type {number[]} */
    let content = [];
    if (id === CODE) {
      at = start;
      const count = leb();
      content.push(...encode(count));
      for (let i = 0; i < count; i++) {
        const size = leb();
        const code = bodies.get(i);
        const body = code ? [0, ...code, 0x0b] : wasm.subarray(at, at + size);
        at += size;
        content.push(...encode(body.length));
        for (const byte of body) content.push(byte);
      }
    } else if (id === MEMORY && maxPages !== undefined) {
      at = start + 2; // skips the number of memories (one) and the flags
      const initial = leb();
      content = [1, 1, ...encode(initial), ...encode(maxPages)];
    } else {
      content = [...wasm.subarray(start, end)];
    }
    out.push(id, ...encode(content.length));
    for (const byte of content) out.push(byte);
  }
  return Uint8Array.from(out);
}

/** Returns an address from which these bytes can be fetched. @param {Uint8Array} wasm */
export function wasmUrl(wasm) {
  return `data:application/wasm;base64,${Buffer.from(wasm).toString('base64')}`;
}

/** @param {number} value */
function encode(value) {
  const bytes = [];
  do {
    bytes.push((value & 127) | (value > 127 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return bytes;
}
