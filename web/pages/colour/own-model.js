// SPDX-License-Identifier: MIT
// Opens a visitor's model for a figure. The visitor chooses a GGUF file, drops one on the figure, or gives the URL of one in the page's
// address (?model=). A chosen or dropped file never leaves the device.
// @ts-check
import { MEDIA, acquire, announce, load, make, misfit, phrase } from '../../shell/index.js';
/** @import { Hold, LoadOptions, ModelInfo } from '../../shell/index.js' */

/** @param {File} file */
export const isModelFile = ({ name }) => MEDIA.model.test(name);

/** Returns the reason why a figure cannot use a model, or '' if it can.
 * @param {ModelInfo} info @param {string} name @param {'complete' | 'superResolve'} kind task of the figure */
function problem(info, name, kind) {
  const wrong = misfit(info, name);
  if (wrong || info.verbs.includes(kind)) return wrong;
  return kind === 'complete'
    ? phrase`${name} enlarges pictures: open it in the figure below.`
    : phrase`${name} does not enlarge pictures: open it in the figure above, which completes them.`;
}

/**
 * Loads a model from a file, or from an address.
 *
 * @param {File | string} own
 * @param {'complete' | 'superResolve'} kind
 * @param {LoadOptions} options
 * @returns {Promise<Hold>}
 */
export async function openModel(own, kind, options) {
  const hold = await (typeof own === 'string' ? acquire(own, { ...options, workers: 'auto' }) : openFile(own, options));
  const wrong = problem(hold.model.info, nameOf(own), kind);
  if (!wrong) return hold;
  hold.release();
  throw Object.assign(new Error(wrong), { code: 'unsupported' });
}

/** @param {File} file @param {LoadOptions} options @returns {Promise<Hold>} */
async function openFile(file, options) {
  const model = await load(new Response(file), { ...options, workers: 'auto' });
  const close = () => model.close();
  return { model, release: close, discard: close };
}

/** @param {File | string} own a file or an address */
export const nameOf = (own) => (typeof own === 'string' ? own : own.name);

/**
 * Creates the file input in an element of the figure.
 * @param {HTMLElement} root
 * @param {(file: File) => void} onFile
 */
export function createOwnModel(root, onFile) {
  const input = make('input', { type: 'file', accept: '.gguf,application/octet-stream', hidden: '' });
  const choose = make('button', { type: 'button', class: 'button' }, phrase`Choose a model`);
  const said = make('p', { class: 'photo-said', hidden: '' });
  root.append(
    make('p', { class: 'photo-name' }, phrase`Or your own model`),
    make(
      'div',
      { class: 'photo-tools' },
      choose,
      input,
      make(
        'p',
        {},
        phrase`Choose a GGUF file. To train a model on your own pictures, use the scripts in the repository’s `,
        make('code', {}, 'weights/train'),
        phrase` folder. You can also drop a file on this figure. The file never leaves this page.`,
      ),
    ),
    said,
  );
  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    input.value = ''; // lets the visitor choose the same file again, for example after further training
    if (!file) return;
    if (isModelFile(file)) onFile(file);
    else
      say(
        phrase`${file.name} is not a GGUF file: its name would end in .gguf. weights/train/export.py converts PyTorch checkpoints.`,
        true,
      );
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
