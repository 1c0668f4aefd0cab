// SPDX-License-Identifier: MIT
// A model of one's own for a figure: a GGUF file that is chosen or dropped there. It never leaves the page.
// @ts-check
import { announce, load, make } from '../../shell/index.js';
/** @import { Hold, LoadOptions, ModelInfo } from '../../shell/index.js' */

/** The pictures of the figures are so large. */
const SIDE = 32;

/** @param {File} file */
export const isModelFile = ({ name }) => /\.gguf$/i.test(name);

/** Why a figure cannot use a model; '': it can. @param {ModelInfo} info @param {'complete' | 'super-resolve'} kind what the figure asks for */
function problem({ tasks, width, height, channels }, kind) {
  const size = `${width} by ${height} pixels ${channels === 3 ? 'in colour' : 'in grey'}`;
  if (width !== SIDE || height !== SIDE || channels !== 3) return `It draws ${size}; the pictures here have ${SIDE} by ${SIDE} in colour.`;
  if (tasks.includes(kind)) return '';
  return kind === 'complete' ? 'It enlarges pictures: give it to the figure below, which does that.' : 'It does not enlarge pictures: give it to the figure above, which completes them.';
}

/**
 * Loads a model from a file.
 *
 * @param {File} file
 * @param {'complete' | 'super-resolve'} kind
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export async function openModel(file, kind, options) {
  const model = await load(new Response(file), { ...options, workers: 'auto' });
  const wrong = problem(model.info, kind);
  const close = () => model.close();
  if (!wrong) return { model, release: close, discard: close };
  close();
  throw Object.assign(new Error(`${file.name} cannot be used here. ${wrong}`), { code: 'unsupported' });
}

/**
 * The control, in an element of the figure.
 * @param {HTMLElement} root
 * @param {(file: File) => void} onFile
 */
export function createOwnModel(root, onFile) {
  const input = make('input', { type: 'file', accept: '.gguf', hidden: '' });
  const choose = make('button', { type: 'button', class: 'button' }, 'Choose a model');
  const said = make('p', { class: 'photo-said', hidden: '' });
  root.append(
    make('p', { class: 'photo-name' }, 'Or a model of your own'),
    make('div', { class: 'photo-tools' }, choose, input, make('p', {}, 'A GGUF file, trained on your own pictures if you like: the repository’s ',
      make('code', {}, 'weights/train'), ' makes such files. You can also drop one on this figure. It never leaves this page.')),
    said,
  );
  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    input.value = ''; // the same file can be chosen again, once it was trained on
    if (!file) return;
    if (isModelFile(file)) onFile(file);
    else say(`${file.name} is no GGUF file: its name would end in .gguf. PyTorch checkpoints become one by weights/train/export.py.`, true);
  });

  /** @param {string} text @param {boolean} [wrong] */
  function say(text, wrong = false) {
    said.textContent = text;
    said.hidden = !text;
    said.classList.toggle('wrong', wrong);
    if (text) announce(text);
  }
  return { say };
}
