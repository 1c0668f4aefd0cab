// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Computes the features of a word and its neighbours for a chain or tree model. A feature is a string; it has an id if the file lists it.
 * weights/train/models/chain/features.py defines templates and atoms and computes the same features; a test compares the
 * results of the two files.
 */

import { show } from '../base/checks.js';
import { NextPixelError } from '../base/error.js';
import { atOnce } from '../base/turns.js';
import { plain } from '../base/typed.js';

/** @import { Metadata } from '../gguf/metadata.js' */

const BEGIN = '<s>';
const END = '</s>';
/** Code of the character that separates the parts of a feature. */
const BAR = 124;

/** Number of characters processed per step. One character takes a few microseconds. */
const SOME = 1024;

const encoder = new TextEncoder();

const BASIS = 2166136261 | 0;
const step = (/** @type {number} */ hash, /** @type {number} */ byte) => Math.imul(hash ^ byte, 16777619);

/** Updates a 32-bit FNV-1a hash with the UTF-8 bytes of a string. @param {string} text */
function fnv(text, hash = BASIS) {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) {
      for (const byte of encoder.encode(text.slice(i))) hash = step(hash, byte);
      break;
    }
    hash = step(hash, code);
  }
  return hash;
}

/**
 * Returns the shape of a word: each capital becomes A, each small letter becomes a, each digit becomes 9, and other characters stay; a run
 * of equal characters becomes one character.
 * @param {string} form
 */
function shape(form) {
  let out = '';
  let last = '';
  for (const c of form) {
    const kind = c >= '0' && c <= '9' ? '9' : c !== c.toLowerCase() ? 'A' : c !== c.toUpperCase() ? 'a' : c;
    if (kind !== last) out += kind;
    last = kind;
  }
  return out;
}

/** @param {'format' | 'unsupported'} code @param {string} key @param {string} reason */
export const keyError = (code, key, reason) =>
  new NextPixelError(
    code,
    `Reading the features failed (${key}: ${reason}). ` +
      (code === 'unsupported' ? 'Use a newer version of nextpixel' : 'The file is damaged, or was exported wrongly: download it again'),
  );

/**
 * @template T
 * @param {Metadata} metadata
 * @param {string} key
 * @param {string} what  description of the items, for an error
 * @param {(item: any) => item is T} is
 * @returns {T[]}
 */
function list(metadata, key, what, is) {
  /** @type {unknown} */
  const items = metadata.get(key) ?? [];
  if (Array.isArray(items) && items.every(is)) return items;
  throw keyError('format', key, `not a list of ${what}`);
}
/** @param {unknown} item @returns {item is string} */
const isText = (item) => typeof item === 'string';
/** @param {unknown} item @returns {item is number} */
const isHash = (item) => typeof item === 'number' && item === (item | 0);

/**
 * Returns the hash of the prefix that all features of a template share (the template and "="), and the template's atoms with their offsets.
 * @param {string} template
 * @param {string} key key of the template
 */
function parsed(template, key) {
  const atoms = template.split('|').map((part) => {
    const [name, offset] = part.split('@');
    if (!/^(?:form|word|shape|cluster|any|prefix\d+|suffix\d+)$/.test(name) || !/^-?\d+$/.test(offset ?? '')) {
      throw keyError('unsupported', key, `${show(template)} is not a template of this version`);
    }
    return { name, offset: Number(offset) };
  });
  return { hash: fnv(`${template}=`), atoms };
}

export class Features {
  #architecture;
  #templates;
  #first;
  /** `#ids` maps hashes of features to their ids. `#clusters` maps hashes of words to their clusters. `#forms` has the hashes of the words
   * that occur in the training sentences. */
  #ids;
  #clusters;
  #forms;

  /** @param {Metadata} metadata  @param {string} [architecture]  the architecture of the file; it is the prefix of the file's keys */
  constructor(metadata, architecture = 'chain') {
    this.#architecture = architecture;
    const key = (/** @type {string} */ name) => `${architecture}.${name}`;
    const hashes = (/** @type {string} */ name) => list(metadata, key(name), 'whole numbers of 32 bits', isHash);
    this.#templates = list(metadata, key('templates'), 'strings', isText).map((template) => parsed(template, key('templates')));
    const first = metadata.get(key('first')) ?? false;
    if (typeof first !== 'boolean') throw keyError('format', key('first'), 'neither true nor false');
    this.#first = first;
    const ids = hashes('feature_hashes');
    this.#ids = new Map(ids.map((hash, i) => [hash, i + 1]));
    const [clusters, numbers] = [hashes('cluster.hashes'), hashes('cluster.numbers')];
    if (clusters.length !== numbers.length)
      throw keyError('format', key('cluster.numbers'), `${numbers.length} for ${clusters.length} words`);
    this.#clusters = new Map(clusters.map((hash, i) => [hash, numbers[i]]));
    this.#forms = new Set(hashes('word_hashes'));
    /** The number of feature ids, including 0. */
    this.values = ids.length + 1;
    /** Number of ids per word. */
    this.width = this.#first ? 1 : this.#templates.length;
  }

  /**
   * Throws if an input of the model does not take the features that this object computes.
   * @param {{ dims: number[], values: number }} port  the input that takes the features, of shape (words, width)
   */
  check({ dims: [, width], values }) {
    if (this.width !== width)
      throw keyError('format', `${this.#architecture}.templates`, `${this.width} features per word, but the model reads ${width}`);
    if (this.values > values)
      throw keyError('format', `${this.#architecture}.feature_hashes`, `${this.values - 1} features, but the model has ${values - 1}`);
  }

  /** Returns whether the training sentences contain this word. @param {string} form */
  knows(form) {
    return this.#forms.has(fnv(form));
  }

  /**
   * Like knows(), but first replaces typographic quotes and hyphens in the word with plain ones.
   *
   * @param {string} form
   */
  knowsTyped(form) {
    return this.knows(plain(form));
  }

  /**
   * Returns a function that computes the value of an atom at word i; null if the atom has no value there. Values are cached for each word.
   *
   * @param {string[]} words
   * @returns {(name: string, i: number) => string | null}
   */
  #values(words) {
    /** @type {Map<string, Map<string, string | null>>} */
    const ofWords = new Map();
    return (name, i) => {
      if (i < 0) return BEGIN;
      if (i >= words.length) return END;
      let known = ofWords.get(words[i]);
      if (!known) ofWords.set(words[i], (known = new Map()));
      let found = known.get(name);
      if (found === undefined) known.set(name, (found = this.#atom(name, words[i])));
      return found;
    };
  }

  /**
   * @param {string} name
   * @param {string} form
   * @returns {string | null}
   */
  #atom(name, form) {
    if (name === 'form') return form;
    if (name === 'any') return '';
    if (name === 'shape') return shape(form);
    const word = form.toLowerCase();
    if (name === 'word') return word;
    if (name === 'cluster') return this.#clusters.get(fnv(word))?.toString() ?? null;
    const n = Number(name.slice(6));
    const characters = Array.from(word);
    if (characters.length <= n) return null;
    return (name.startsWith('prefix') ? characters.slice(0, n) : characters.slice(-n)).join('');
  }

  /**
   * Returns the feature ids of the words, `width` ids per word; the id is 0 for a feature that is missing or not listed.
   *
   * @param {string[]} words
   * @returns {Uint32Array<ArrayBuffer>}
   */
  ids(words) {
    return atOnce(this.idsOf(words));
  }

  /**
   * Computes the feature ids of typed words in chunks. Also returns whether the training sentences contain each word. Typographic quotes
   * and hyphens are first replaced by plain ones.
   *
   * @param {string[]} words
   * @returns {Generator<void, { ids: Uint32Array<ArrayBuffer>, seen: boolean[] }, void>}
   */
  *read(words) {
    const [forms, seen] = [/** @type {string[]} */ ([]), /** @type {boolean[]} */ ([])];
    for (const word of words) {
      forms.push(plain(word));
      seen.push(this.knows(forms[forms.length - 1]));
      yield;
    }
    return { ids: yield* this.idsOf(forms), seen };
  }

  /**
   * Computes the result of ids() in chunks.
   *
   * @param {string[]} words
   * @returns {Generator<void, Uint32Array<ArrayBuffer>, void>}
   */
  *idsOf(words) {
    const ids = new Uint32Array(words.length * this.width);
    const value = this.#values(words);
    let looked = 0;
    for (let t = 0; t < words.length; t++) {
      if ((looked += words[t].length) >= SOME) {
        yield;
        looked = 0;
      }
      for (let f = 0; f < this.#templates.length; f++) {
        const { hash, atoms } = this.#templates[f];
        let whole = hash;
        let there = true;
        for (let a = 0; a < atoms.length && there; a++) {
          const part = value(atoms[a].name, t + atoms[a].offset);
          if (part === null) there = false;
          else whole = fnv(part, a > 0 ? step(whole, BAR) : whole);
        }
        const id = there ? (this.#ids.get(whole) ?? 0) : 0;
        if (!this.#first) ids[t * this.width + f] = id;
        else if (id > 0) {
          ids[t] = id;
          break;
        }
      }
    }
    return ids;
  }
}
