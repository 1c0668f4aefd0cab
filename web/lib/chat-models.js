// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Published chat models that this engine runs, smallest first. The files are on the Hugging Face Hub. Each address names a commit, so it
 * always returns the same bytes. A page can offer these models: `import { chatModels } from 'nextpixel/chat-models'`, then
 * `load(model.url)`.
 *
 * The entries come from public repositories, found by exact search in an index of public source code (27 November 2026). For each entry,
 * several repositories give the same address, commit, file name, size and SHA-256. The hub itself was not queried. To verify a file,
 * compare its SHA-256 with the value below and with the page of its commit, https://huggingface.co/OWNER/NAME/tree/COMMIT:
 *
 *   SmolLM2-135M-Instruct-Q8_0.gguf   144,811,360   5a1395716f7913741cc51d98581b9b1228d80987a9f7d3664106742eb06bba83
 *   gemma-3-270m-it-Q8_0.gguf         291,545,600   0ef57d2c838458a1952664260dcba38e5bdda37494f3af732f06e4add24068e3
 *   granite-4.0-350m-Q8_0.gguf        378,138,016   9595dafb4ed15aa02512c8ea26188744192a6f09530eae0a2747bd3ada96cd36
 *   smollm2-360m-instruct-q8_0.gguf   386,404,992   48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201
 *   Qwen3-0.6B-Q8_0.gguf              639,446,688   9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031
 *   gemma-3-1b-it-Q4_K_M.gguf         806,058,240   8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135
 *   EXAONE-4.0-1.2B-Q4_K_M.gguf       812,437,792   7b5e753540183ae4d56e6febd9b48cdd944de53386e6faa8f51c8f98cb2b47df
 *   Llama-3.2-1B-Instruct-Q4_K_M.gguf 807,694,464   6f85a640a97cf2bf5b8e764087b1e83da0fdb51d7c9fab7d0fece9385611df83
 *   SmolLM3-Q4_K_M.gguf             1,915,305,312   8334b850b7bd46238c16b0c550df2138f0889bf433809008cc17a8b05761863e
 *
 * Licences are quoted from these repositories and from the makers' model cards. Languages come from the model cards, with two exceptions.
 * For Gemma 3 models with fewer than 4 billion parameters, the only listed language, English, comes from the announcement on the hub's
 * blog. For Qwen 3, which supports 119 languages, only the most widely spoken languages and those of this project's pages are listed.
 */

/**
 * @typedef {object} ChatModel
 * @property {string} name
 * @property {string} maker
 * @property {string} url         for load(): hf:owner/name@commit/file.gguf
 * @property {number} bytes       size of the file, which is downloaded as a whole
 * @property {string} license     an SPDX identifier, or the name that the makers gave the licence
 * @property {string} licenseUrl  address of the licence's text
 * @property {string[]} languages BCP 47
 * @property {number} [languageCount]  number of supported languages, if `languages` does not list all of them
 */

const APACHE = { license: 'Apache-2.0', licenseUrl: 'https://www.apache.org/licenses/LICENSE-2.0' };
const GEMMA = { license: 'Gemma Terms of Use', licenseUrl: 'https://ai.google.dev/gemma/terms' };

/** @type {readonly ChatModel[]} */
export const chatModels = [
  {
    name: 'SmolLM2 135M Instruct',
    maker: 'Hugging Face',
    url: 'hf:bartowski/SmolLM2-135M-Instruct-GGUF@09816acd5d99df7be770d85ea30822623dab342c/SmolLM2-135M-Instruct-Q8_0.gguf',
    bytes: 144811360,
    ...APACHE,
    languages: ['en'],
  },
  {
    name: 'Gemma 3 270M it',
    maker: 'Google',
    url: 'hf:ggml-org/gemma-3-270m-it-GGUF@e7647be17ae1108f2f605ed061ca0608b171afff/gemma-3-270m-it-Q8_0.gguf',
    bytes: 291545600,
    ...GEMMA,
    languages: ['en'],
  },
  {
    name: 'Granite 4.0 350M',
    maker: 'IBM',
    url: 'hf:ibm-granite/granite-4.0-350m-GGUF@b8208a86a58427e1739265318028eb5895b74bf2/granite-4.0-350m-Q8_0.gguf',
    bytes: 378138016,
    ...APACHE,
    languages: ['en', 'ko', 'de', 'es', 'fr', 'ja', 'pt', 'ar', 'cs', 'it', 'nl', 'zh'],
  },
  {
    name: 'SmolLM2 360M Instruct',
    maker: 'Hugging Face',
    url: 'hf:HuggingFaceTB/SmolLM2-360M-Instruct-GGUF@593b5a2e04c8f3e4ee880263f93e0bd2901ad47f/smollm2-360m-instruct-q8_0.gguf',
    bytes: 386404992,
    ...APACHE,
    languages: ['en'],
  },
  {
    name: 'Qwen3 0.6B',
    maker: 'Alibaba',
    url: 'hf:Qwen/Qwen3-0.6B-GGUF@23749fefcc72300e3a2ad315e1317431b06b590a/Qwen3-0.6B-Q8_0.gguf',
    bytes: 639446688,
    ...APACHE,
    languages: ['en', 'ko', 'zh', 'ja', 'de', 'es', 'fr'],
    languageCount: 119,
  },
  {
    name: 'Gemma 3 1B it',
    maker: 'Google',
    url: 'hf:ggml-org/gemma-3-1b-it-GGUF@f9c28bcd85737ffc5aef028638d3341d49869c27/gemma-3-1b-it-Q4_K_M.gguf',
    bytes: 806058240,
    ...GEMMA,
    languages: ['en'],
  },
  {
    name: 'EXAONE 4.0 1.2B',
    maker: 'LG AI Research',
    url: 'hf:LGAI-EXAONE/EXAONE-4.0-1.2B-GGUF@162446400ea4596377a3ce1d3ddffa32971af0a6/EXAONE-4.0-1.2B-Q4_K_M.gguf',
    bytes: 812437792,
    license: 'EXAONE 1.2 - NC',
    licenseUrl: 'https://huggingface.co/LGAI-EXAONE/EXAONE-4.0-1.2B/blob/main/LICENSE',
    languages: ['ko', 'en', 'es'],
  },
  {
    name: 'Llama 3.2 1B Instruct',
    maker: 'Meta',
    url: 'hf:bartowski/Llama-3.2-1B-Instruct-GGUF@067b946cf014b7c697f3654f621d577a3e3afd1c/Llama-3.2-1B-Instruct-Q4_K_M.gguf',
    bytes: 807694464,
    license: 'Llama 3.2 Community',
    licenseUrl: 'https://www.llama.com/llama3_2/license/',
    languages: ['en', 'de', 'fr', 'it', 'pt', 'hi', 'es', 'th'],
  },
  {
    name: 'SmolLM3 3B',
    maker: 'Hugging Face',
    url: 'hf:ggml-org/SmolLM3-3B-GGUF@4965cb60b150737b68a0408c36aeefb65078f894/SmolLM3-Q4_K_M.gguf',
    bytes: 1915305312,
    ...APACHE,
    languages: ['en', 'fr', 'es', 'de', 'it', 'pt'],
  },
];

/**
 * Bytes of memory that the worker and the engine need in addition to the file (node tests/bench/which-file.js: 44 to 52 MB, for any file).
 */
const BESIDE = 52e6;

/** Returns the peak memory while a model is being loaded, in bytes; the keys and values of a conversation need additional memory.
 * @param {ChatModel} model */
export const memoryOf = ({ bytes }) => bytes + BESIDE;

/**
 * Speed at which the engine reads weights, in bytes per second. Measured: 23.1 ms per token for a file of 145 MB, 101 ms for one of 639 MB,
 * in Chromium 156 on an Intel Xeon with 9 GB/s of memory bandwidth (Numbers chapter of the manual; November
 * 2026; npm run bench -- --only ours --sizes 135M,0.6B). Faster memory gives more tokens per second.
 */
const READ = 6.3e9;

/** Returns the tokens per second that the model would reach on the machine measured above. The value is useful only to compare models.
 * @param {ChatModel} model */
export const tokensPerSecondOf = ({ bytes }) => READ / bytes;

/**
 * Returns the model to try first: the largest model that supports the language, needs at most an eighth of the device's memory and writes
 * at least five tokens per second. If there is none, returns the first model.
 *
 * @param {{ deviceMemory?: number, language?: string }} [device]  deviceMemory: in GiB, as some browsers report it in navigator (default
 *   4); language: BCP 47 (default 'en')
 * @returns {ChatModel}
 */
export function suggestedModel({ deviceMemory = 4, language = 'en' } = {}) {
  const [base] = language.split('-');
  const room = (deviceMemory * 2 ** 30) / 8;
  const fitting = chatModels.filter((model) => model.languages.includes(base) && memoryOf(model) <= room && tokensPerSecondOf(model) >= 5);
  return fitting.at(-1) ?? chatModels[0];
}
