// SPDX-License-Identifier: MIT
// @ts-check

/**
 * @template {Uint8Array | Uint32Array | Float32Array} T
 * @param {new (length: number) => T} Type
 * @param {T[]} parts  at least one part
 * @returns {T}
 */
export function join(Type, parts) {
  if (parts.length === 1) return parts[0];
  const whole = new Type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Concatenates results of the same type: lists of ids or lists of floats.
 *
 * @param {(Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>)[]} parts  at least one part
 */
export function joinAlike(parts) {
  const Type = /** @type {new (length: number) => Uint32Array<ArrayBuffer>} */ (parts[0].constructor);
  return join(Type, /** @type {Uint32Array<ArrayBuffer>[]} */ (parts));
}
