// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Uses XGrammar (@mlc-ai/web-xgrammar 0.1.27, Apache 2.0) to restrict the output of generate() and chat() to JSON, or to JSON that follows
 * a schema. XGrammar is a single script that includes its wasm (394 KB compressed). It is loaded when the first constraint is created.
 *
 *     import { jsonGrammar } from './grammar.js';
 *     const constraint = await jsonGrammar({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } });
 *     JSON.parse(await model.chat(messages, { constraint }).text());
 */

/**
 * The characters that represent bytes in GPT-2's vocabulary. A printable byte is represented by the character with the same code. The other
 * bytes are represented by the characters with codes 256, 257, ....
 */
const LETTERS = (() => {
  let others = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : others++);
  });
})();

/**
 * @param {any} xgrammar  the XGrammar module
 * @param {object} [schema]  a JSON schema; if omitted, any JSON is allowed
 * @returns {import('../../lib/index.js').Constraint} a constraint that only one run may use at a time
 */
export function jsonSchema({ GrammarCompiler, GrammarMatcher, TokenizerInfo }, schema) {
  /** @type {any} */
  let matcher;
  let told = 0;
  return {
    async start(tokenizer) {
      const ids = Array.from({ length: tokenizer.size }, (_, id) => id);
      const vocabulary = ids.map((id) => Array.from(tokenizer.bytes(id), (byte) => LETTERS[byte]).join(''));
      const ends = ids.filter((id) => tokenizer.isEnd(id));
      const info = await TokenizerInfo.createTokenizerInfo(vocabulary, 'byte_level', false, tokenizer.size, ends);
      const compiler = await GrammarCompiler.createGrammarCompiler(info);
      const grammar = schema
        ? compiler.compileJSONSchema(JSON.stringify(schema), false) // false: without white space
        : compiler.compileBuiltinJSONGrammar();
      matcher = await GrammarMatcher.createGrammarMatcher(await grammar);
      told = 0;
    },
    next(ids) {
      for (; told < ids.length; told++) matcher.acceptToken(ids[told]);
      return matcher.getNextTokenBitmask(); // after a complete match, the grammar allows only the end tokens
    },
  };
}

/** @type {Promise<any> | undefined} */
let loading;

/** Adds XGrammar's script to the page, because the script is not a module. */
function xgrammar() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('./node_modules/@mlc-ai/web-xgrammar/lib/index.js', import.meta.url).href;
    script.onload = () => resolve(/** @type {any} */ (globalThis).xgrammar);
    script.onerror = () => {
      loading = undefined;
      reject(new Error(`${script.src} cannot be loaded; run npm install @mlc-ai/web-xgrammar`));
    };
    document.head.append(script);
  });
  return loading;
}

/** Returns a constraint for JSON, for use in a page. @param {object} [schema] */
export async function jsonGrammar(schema) {
  return jsonSchema(await xgrammar(), schema);
}
