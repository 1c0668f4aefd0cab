// SPDX-License-Identifier: MIT
// @ts-check

/** An example: a JSON schema, or another grammar of XGrammar (@mlc-ai/web-xgrammar), as a constraint of generate(). */

/** The letters in which GPT-2 writes bytes: printable ones for themselves, the others from 256 on. */
const LETTERS = (() => {
  let others = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : others++);
  });
})();

/**
 * @param {any} xgrammar  the module
 * @param {object} schema  a JSON schema
 * @returns {import('../../web/lib/index.js').Constraint}
 */
export function jsonSchema({ GrammarCompiler, GrammarMatcher, TokenizerInfo }, schema) {
  /** @type {any} */
  let matcher;
  let told = 0;
  return {
    async start(tokenizer) {
      const ids = Array.from({ length: tokenizer.size }, (_, id) => id);
      const vocabulary = ids.map((id) => Array.from(tokenizer.bytes(id), (byte) => LETTERS[byte]).join(''));
      const info = await TokenizerInfo.createTokenizerInfo(
        vocabulary,
        'byte_level',
        false,
        tokenizer.size,
        ids.filter((id) => tokenizer.isEnd(id)),
      );
      const compiler = await GrammarCompiler.createGrammarCompiler(info);
      matcher = await GrammarMatcher.createGrammarMatcher(await compiler.compileJSONSchema(JSON.stringify(schema), false)); // without white space
      told = 0;
    },
    next(ids) {
      for (; told < ids.length; told++) matcher.acceptToken(ids[told]);
      return matcher.getNextTokenBitmask(); // after a complete match it allows only the end tokens
    },
  };
}
