// SPDX-License-Identifier: MIT
// @ts-check

/**
 * DOM types for declarations that may be read without the DOM library, as in Node. Without that library they are types that no value has.
 *
 * @template {string} Name  of a class
 * @typedef {typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never} Dom
 */
/** @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer Instance } } } ? Instance : never} WasmModule */

export {};
