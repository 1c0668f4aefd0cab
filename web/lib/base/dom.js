// SPDX-License-Identifier: MIT
// @ts-check

/**
 * DOM types for declarations that are also read without TypeScript's DOM library, as in Node. Without that library, each of these types is
 * `never`.
 *
 * @template {string} Name  the name of a class
 * @typedef {typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never} Dom
 */
/** @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer Instance } } } ? Instance : never} WasmModule */

export {};
