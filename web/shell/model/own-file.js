// SPDX-License-Identifier: MIT
// A file of the visitor instead of the page's own model, on pages that declare the models they take (asked.js): chosen in the box below the
// first figure, which web/tools/frame.js writes, or dropped. The page as it is loaded has its own model.
// @ts-check
import { announce, load, ownFiles } from '../library.js';
import { make } from '../page/dom.js';
import { fault } from '../page/fault.js';
import { phrase } from '../page/phrase.js';
import { integer } from '../page/words.js';
import { loadOwn } from './load-own.js';
import { reloads } from './loading.js';
import { trying } from './misfit.js';
import { ours, standIn } from './start.js';
import { weightBytes } from './weight-bytes.js';
/** @import { Hold, Model } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Delay before a replaced model is closed: some of its runs may still be stopping. */
const GRACE_MS = 3000;

/**
 * The visitor's file that replaces the page's model; `model` is set until a figure takes it.
 * @type {{ file: File, model?: Model } | undefined}
 */
let own;
/** Reloads the first figure and returns its error message. @type {() => Promise<string>} */
let again = async () => '';
/** Name of the model that the file replaces, in a figure with several models. */
let place = '';
/** @type {((bytes: ArrayBuffer) => void)[]} */
const readers = [];

/** Name of the file that replaces the page's model; '' for none. */
export const ownName = () => own?.file.name ?? '';

/**
 * Passes the bytes of the current model file to a function, now and whenever another file replaces it.
 * @param {(bytes: ArrayBuffer) => void} reader
 * @returns {Promise<void>} rejects if the page's own file cannot be read
 */
export function onFile(reader) {
  readers.push(reader);
  return fileNow().then(reader);
}

/** Returns the bytes of the current model file. @returns {Promise<ArrayBuffer>} */
export async function fileNow() {
  return own ? own.file.arrayBuffer() : weightBytes(ours);
}

standIn((options, among) => {
  place = among;
  again = reloads.get(options.signal) ?? again;
  return own && hold(own, options);
});

/** @param {NonNullable<typeof own>} from @param {LoadOptions} options @returns {Promise<Hold>} */
async function hold(from, options) {
  const model = from.model ?? (await load(new Response(from.file), { ...options, cache: false }));
  from.model = undefined; // another figure needs a model of its own
  return {
    model,
    release: () => {
      setTimeout(() => model.close(), GRACE_MS);
    },
    discard: () => model.close(),
  };
}

/** @param {HTMLElement} box */
function createOwnFile(box) {
  const input = make('input', { type: 'file', accept: '.gguf,application/octet-stream', hidden: '' });
  const choose = make('button', { type: 'button', class: 'button' }, phrase`Choose a file`);
  const back = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Back to ours`);
  const said = make('p', { class: 'take-said', role: 'status' });
  box.append(
    make(
      'p',
      {},
      phrase`Weights that you trained or found, as a GGUF file of the kind that this page shows: choose one, or drop it anywhere on the page. It never leaves your machine.`,
    ),
    make('div', { class: 'take-tools' }, choose, input, back),
    said,
  );
  let stopper = new AbortController();

  /** Shows the model in `own`. @returns {Promise<string>} the error as a sentence; '': there is none */
  async function use() {
    const wrong = await again();
    if (wrong) return wrong;
    back.hidden = !own;
    if (readers.length > 0)
      await fileNow().then((now) => {
        for (const reader of readers) reader(now);
      });
    return '';
  }

  async function takeBack() {
    stopper.abort();
    own = undefined;
    said.textContent = (await use().catch(fault)) || phrase`This page uses its own model again.`;
  }

  /** @param {File | undefined} file */
  async function take(file) {
    if (!file) return;
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    box.setAttribute('open', '');
    if (!/\.gguf$/i.test(file.name)) {
      said.textContent = phrase`${file.name} is not a GGUF file: its name would end in .gguf. weights/train/export.py converts PyTorch checkpoints.`;
      return;
    }
    const { name } = file;
    said.textContent = phrase`Loading ${name}`;
    try {
      const model = await loadOwn(new Response(file), name, signal, (text) => {
        said.textContent = text;
      });
      const before = own;
      own = { file, model };
      const { parameters } = model.info;
      const wrong = await use();
      if (signal.aborted) return;
      const working = place
        ? phrase`${name}, a model of ${integer(parameters)} parameters, now runs instead of ${place}.`
        : phrase`${name}, a model of ${integer(parameters)} parameters, is running now.`;
      said.textContent = wrong || `${working} ${trying(model.info)}`;
      announce(said.textContent);
      if (!wrong) return;
      own = before;
      await use();
    } catch (error) {
      if (!signal.aborted) said.textContent = fault(error);
    }
  }

  box.addEventListener(
    'toggle',
    () => {
      ownFiles().catch(() => {});
    },
    { once: true },
  );
  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    void take(input.files?.[0]);
    input.value = ''; // allows the same file to be chosen again after it has been trained further
  });
  back.addEventListener('click', () => {
    void takeBack();
    choose.focus();
  });
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      const { dataTransfer } = /** @type {DragEvent} */ (event);
      if (event.defaultPrevented || !dataTransfer?.types.includes('Files')) return; // files that a figure accepts are left to it
      event.preventDefault();
      if (type === 'drop') void take(dataTransfer.files[0]);
    });
  }
}

/** @type {HTMLElement | null} */
const box = document.querySelector('details#own-file');
if (box) createOwnFile(box);
