// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Types of DOM classes. Declarations that use them also compile without TypeScript's DOM library, for example in a project for Node.
 * Without that library, each of these types is `never`.
 *
 * @template {string} Name  the name of a class
 * @typedef {typeof globalThis extends { [name in Name]: { prototype: infer Instance } } ? Instance : never} Dom
 */
/** @typedef {typeof globalThis extends { WebAssembly: { Module: { prototype: infer Instance } } } ? Instance : never} WasmModule */

export {};
