// SPDX-License-Identifier: MIT
// @ts-check

/**
 * DOM types for declarations that are read without a DOM, as in Node: there they are types without a value.
 *
 * @template {string} Name  of a class
 * @typedef {typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never} Dom
 */
/** @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer Instance } } } ? Instance : never} WasmModule */

export {};
