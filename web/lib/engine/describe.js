// SPDX-License-Identifier: MIT
// @ts-check

/** Describes an opened model: its parts, and the metadata of its file. */

import { readStruct } from './layout.js';
import { checkStatus } from './status-error.js';

/** @import { Instance } from './instance.js' */
/** @import { Entry } from '../gguf/values.js' */
/** @import { Part } from './protocol.js' */

/**
 * @param {Instance} instance
 * @param {number} model  address of the model
 * @param {number} index
 * @returns {Part}
 */
export function describePart(instance, model, index) {
  const at = instance.at.struct;
  /** @param {string} what  @param {'nx_part_info' | 'nx_port' | 'nx_result' | 'nx_map' | 'nx_table'} struct  @param {number[]} which */
  const read = (what, struct, ...which) => {
    const status = instance.call(what, model, index, ...which, at);
    checkStatus(status, 'Reading the description of the model');
    return readStruct(instance.view, at, struct);
  };
  /** @template T @param {number} n  @param {(i: number) => T} one */
  const each = (n, one) => Array.from({ length: n }, (_, i) => one(i));
  /** @param {Record<string, number>} fields */
  const dimsOf = (fields) => each(4, (i) => fields[`dims[${i}]`]);
  const {
    values,
    span,
    outputs,
    length,
    rewinds,
    inputs,
    results,
    maps,
    tables,
    ends,
    draft,
    grows,
    noisy,
    hidden_layers: hiddenLayers,
    hidden_width: hiddenWidth,
    name: partName,
    ...parameters
  } = read('nx_model_part', 'nx_part_info');
  return {
    index,
    name: instance.name(partName),
    values,
    span,
    outputs,
    length,
    rewinds,
    draft: draft === 1,
    grows: grows === 1,
    noisy: noisy === 1,
    hiddenLayers,
    hiddenWidth,
    parameters: parameters.parameters_high * 2 ** 32 + parameters.parameters_low,
    inputs: each(inputs, (i) => {
      const port = read('nx_model_port', 'nx_port', i);
      const { name, values: below, optional, any_length: any, like } = port;
      return { name: instance.name(name), values: below, dims: dimsOf(port), optional: optional === 1, anyLength: any === 1, like };
    }),
    results: each(results, (i) => {
      const result = read('nx_model_result', 'nx_result', i);
      return { name: instance.name(result.name), values: result.values, dims: dimsOf(result) };
    }),
    maps: each(maps, (i) => {
      const { name, ...map } = read('nx_model_map', 'nx_map', i);
      return /** @type {Part['maps'][number]} */ ({ ...map, name: instance.name(name) });
    }),
    tables: each(tables, (i) => {
      const { name, rows, cols, data } = read('nx_model_table', 'nx_table', i);
      return { name: instance.name(name), rows, cols, data: instance.floats(data, rows * cols) };
    }),
    ends: each(ends, (i) => {
      const status = instance.call('nx_model_end', model, index, i, at);
      checkStatus(status, 'Reading the description of the model');
      return instance.word(at);
    }),
  };
}

/**
 * Returns all metadata of a model, including the vocabulary.
 *
 * @param {Instance} instance
 * @param {number} model  address of the model
 */
export function readEntries(instance, model) {
  const at = instance.at.struct;
  const count = instance.call('nx_model_metadata_count', model) >>> 0;
  /** @type {Entry[]} */
  const entries = [];
  for (let i = 0; i < count; i++) {
    const status = instance.call('nx_model_metadata', model, i, at);
    checkStatus(status, 'Reading the metadata');
    const entry = readStruct(instance.view, at, 'nx_metadata');
    const memory = instance.bytes;
    entries.push({
      key: new TextDecoder().decode(memory.slice(entry.key, entry.key + entry.key_bytes)),
      type: entry.type,
      itemType: entry.item_type,
      count: entry.count,
      value: memory.slice(entry.value, entry.value + entry.value_bytes),
    });
  }
  return entries;
}
