// SPDX-License-Identifier: MIT
// Lets visitors replace the page's model with their own file, on pages that declare which models they accept (asked.js). Visitors choose
// the file in the box below the first figure (web/tools/frame.js adds the box) or drop the file on the page. After a reload, the page shows
// its own model again.
// @ts-check
import { announce, load, ownFiles } from '../library.js';
import { make } from '../page/dom.js';
import { fault } from '../page/fault.js';
import { MEDIA, takeFiles } from '../page/files.js';
import { phrase } from '../page/phrase.js';
import { integer } from '../page/words.js';
import { loadOwn } from './load-own.js';
import { reloads } from './loading.js';
import { trying } from './misfit.js';
import { ours, standIn } from './start.js';
import { weightBytes } from './weight-bytes.js';
/** @import { Hold, Model } from '../library.js' */
/** @import { LoadOptions } from './loading.js' */

/** Delay before a replaced model is closed, because some of its runs may still be stopping. */
const GRACE_MS = 3000;

/**
 * The visitor's file that replaces the page's model. `model` is the loaded model until a figure starts to use it, then undefined.
 * @type {{ file: File, model?: Model } | undefined}
 */
let own;
/** Reloads the first figure. Returns the error message, or '' for success. @type {() => Promise<string>} */
let again = async () => '';
/** Name of the model that the file replaces, if a figure has several models; otherwise ''. */
let place = '';
/** @type {((bytes: ArrayBuffer) => void)[]} */
const readers = [];

/** Returns the name of the file that replaces the page's model, or '' if there is none. */
export const ownName = () => own?.file.name ?? '';

/**
 * Calls a function with the bytes of the current model file, now and each time another file replaces it.
 * @param {(bytes: ArrayBuffer) => void} reader
 * @returns {Promise<void>} rejects if the page's own weight file cannot be read
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
  from.model = undefined; // if another figure needs the model, it must load the model again
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
  const back = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Back to the page's own model`);
  const said = make('p', { class: 'take-said', role: 'status' });
  box.append(
    make(
      'p',
      {},
      phrase`Choose a GGUF file of the kind that this page shows, with weights that you trained or found, or drop it anywhere on the page. The file never leaves your machine.`,
    ),
    make('div', { class: 'take-tools' }, choose, input, back),
    said,
  );
  let stopper = new AbortController();

  /** Shows the visitor's file, stored in `own`. @returns {Promise<string>} the error as a sentence; '' if there is none */
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

  /** @param {File} file */
  async function take(file) {
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
        ? phrase`${name}, a model with ${integer(parameters)} parameters, now replaces ${place}.`
        : phrase`${name}, a model with ${integer(parameters)} parameters, is running now.`;
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
  back.addEventListener('click', () => {
    void takeBack();
    choose.focus();
  });
  takeFiles(document.documentElement, {
    input,
    medium: MEDIA.model,
    take: (file) => void take(file),
    say: (sentence) => {
      box.setAttribute('open', '');
      said.textContent = sentence;
    },
    models: true,
    zone: box,
  });
}

/** @type {HTMLElement | null} */
const box = document.querySelector('details#own-file');
if (box) createOwnFile(box);
