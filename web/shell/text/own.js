// SPDX-License-Identifier: MIT
// Another model in place of the one that came with the page: a file that is dropped or chosen, or an address. And what the model is.
// @ts-check
import { announce, byId, bytes, integer, load, make, misfit } from '../index.js';
/** @import { Model } from '../index.js' */

/** The entries of a card that are shown, and what they are called. @type {[string, string][]} */
const CARD = [['description', 'What it is'], ['dataset', 'Trained on'], ['author', 'By'], ['organization', 'By'], ['license', 'Licence'], ['quality', 'Quality'], ['source.url', 'From']];

/** @param {Model} model */
export function showCard(model) {
  const { info } = model;
  /** @type {[string, string][]} */
  const rows = [
    ['Name', info.name], ['Architecture', info.architecture], ['Parameters', `${integer(info.parameters)} (${bytes(info.bytes)})`],
    ['Sees', `${integer(info.positions)} tokens`],
  ];
  try {
    const { model: kind, pre, size, addsBegin } = model.tokenizer;
    rows.push(['Vocabulary', `${integer(size)} tokens`], ['Cut by', kind === 'llama' ? 'SentencePiece, merges by score' : `byte pairs, words cut as “${pre}”`],
      ['A text begins with', addsBegin ? 'a token of its own' : 'its first token']);
  } catch {
    rows.push(['Vocabulary', `${integer(info.vocabulary)} tokens, of which the file does not say what they are`]);
  }
  if (info.chatTemplate) rows.push(['Talks', 'the file says how the model reads them']);
  if (info.warnings.length > 0) rows.push(['Odd', info.warnings.join('. ')]);
  for (const [key, name] of CARD) if (info.card[key]) rows.push([name, info.card[key]]);
  byId('card').replaceChildren(...rows.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
}

/**
 * The part of a page where one's own file is given (own.html).
 *
 * @param {{ onModel: (model: Model) => void, says?: string }} hooks  says: what the model does then
 */
export function createOwn({ onModel, says = 'writes now' }) {
  const zone = byId('own');
  /** @type {HTMLInputElement} */
  const file = byId('own-file');
  /** @type {HTMLInputElement} */
  const address = byId('own-address');
  const said = byId('own-said');
  let stopper = new AbortController();
  /** Loaded here, and so to be closed here. @type {Model | null} */
  let mine = null;

  /** @param {string} text */
  const say = (text) => {
    said.textContent = text;
    announce(text);
  };

  /** @param {Parameters<typeof load>[0]} source @param {string} name */
  async function open(source, name) {
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    say(`Loading ${name}`);
    try {
      const model = await load(source, {
        signal, cache: false,
        onProgress({ loaded, total }) { said.textContent = `Loading ${name}: ${bytes(loaded)}${total ? ` of ${bytes(total)}` : ''}`; },
      });
      const wrong = misfit(model.info, name);
      if (wrong) {
        model.close();
        say(wrong);
        return;
      }
      const before = mine;
      mine = model;
      onModel(model);
      before?.close();
      say(`${model.info.name} ${says}.`);
    } catch (error) {
      if (!signal.aborted) say(/** @type {any} */ (error).message);
    }
  }

  /** @param {File | undefined} chosen */
  const openFile = (chosen) => { if (chosen) open(new Response(chosen), chosen.name); };
  file.addEventListener('change', () => openFile(file.files?.[0]));
  byId('own-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = address.value.trim();
    if (!wanted) return;
    if (URL.canParse(wanted, document.baseURI)) open(new URL(wanted, document.baseURI), wanted);
    else say(`${wanted} is no address: it begins with https:// or, of a file beside this page, with its name`);
  });
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => {
      const { dataTransfer } = /** @type {DragEvent} */ (event);
      if (!dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      zone.classList.toggle('over', type === 'dragover');
      if (type === 'drop') openFile(dataTransfer.files[0]);
    });
  }
  document.addEventListener('dragleave', () => zone.classList.remove('over'));
}
