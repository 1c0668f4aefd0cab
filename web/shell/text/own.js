// SPDX-License-Identifier: MIT
// Lets visitors replace the page's model with a file that they drop or choose, or with a model at an address. Also shows the model's
// metadata.
// @ts-check
import { MEDIA, announce, byId, bytes, fault, integer, loadOwn, make, phrase, takeFiles } from '../index.js';
/** @import { Model } from '../index.js' */

/** The metadata entries to show, with their labels. @type {[string, string][]} */
const CARD = [
  ['description', phrase`What it is`],
  ['dataset', phrase`Trained on`],
  ['author', phrase`By`],
  ['organization', phrase`By`],
  ['license', phrase`Licence`],
  ['quality', phrase`Quality`],
  ['source.url', phrase`From`],
];

/**
 * Invisible characters that a pasted address may contain. Other unusual characters are kept, because a file name may have full-width
 * letters, for example.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}/gu;
/**
 * Matches white space and joiners at both ends of an address, and the emoji variation selector at its start. Elsewhere, these characters
 * are kept, because Persian words, Indic words and emoji need them.
 */
const ENDS = /^(?:\s|\u200c|\u200d|\ufe0f)+|(?:\s|\u200c|\u200d)+$/g;

/** @param {Model} model */
export function showCard(model) {
  const { info } = model;
  /** @type {[string, string][]} */
  const rows = [
    [phrase`Name`, info.name],
    [phrase`Architecture`, info.architecture],
    [phrase`Parameters`, `${integer(info.parameters)} (${bytes(info.bytes)})`],
    [phrase`Sees`, phrase`${integer(info.positions)} tokens`],
  ];
  try {
    const { model: kind, pre, size, addsBegin } = model.tokenizer;
    rows.push(
      [phrase`Vocabulary`, phrase`${integer(size)} tokens`],
      [phrase`Cut by`, kind === 'llama' ? phrase`SentencePiece, merges by score` : phrase`byte pairs; words are split as in “${pre}”`],
      [phrase`A text begins with`, addsBegin ? phrase`a token of its own` : phrase`its first token`],
    );
  } catch {
    rows.push([phrase`Vocabulary`, phrase`${integer(info.vocabulary)} tokens, not listed in the file`]);
  }
  if (info.chatTemplate) rows.push([phrase`Talks`, phrase`the file has a chat template`]);
  if (info.warnings.length > 0) rows.push([phrase`Odd`, info.warnings.join('. ')]);
  // Each entry is in the language of the file's author.
  const told = CARD.filter(([key]) => info.card[key]).map(([key, name]) => [name, info.card[key]]);
  byId('card').replaceChildren(
    ...rows.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
    ...told.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', { lang: '' }, value))),
  );
}

/**
 * Sets up own.html, the part of a page in which visitors open their own model files.
 *
 * @param {{ onModel: (model: Model) => void, says?: (name: string) => string }} hooks  says: receives the model's name; returns a sentence
 *   that tells the visitor what the model does now
 */
export function createOwn({ onModel, says = (name) => phrase`${name} writes now.` }) {
  const zone = byId('own');
  /** @type {HTMLInputElement} */
  const file = byId('own-file');
  /** @type {HTMLInputElement} */
  const address = byId('own-address');
  const said = byId('own-said');
  let stopper = new AbortController();
  /** The model that this code has loaded and must close. @type {Model | null} */
  let mine = null;

  /** @param {string} text */
  const tell = (text) => {
    said.textContent = text;
    announce(text);
  };

  /** @param {Parameters<typeof loadOwn>[0]} source @param {string} name */
  async function open(source, name) {
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    tell(phrase`Loading ${name}`);
    try {
      const model = await loadOwn(source, name, signal, (text) => {
        said.textContent = text;
      });
      const before = mine;
      mine = model;
      onModel(model);
      before?.close();
      tell(says(model.info.name));
    } catch (error) {
      if (!signal.aborted) tell(fault(error));
    }
  }

  takeFiles(document.documentElement, {
    input: file,
    medium: MEDIA.model,
    take: (chosen) => void open(new Response(chosen), chosen.name),
    say: tell,
    models: true,
    zone,
  });
  byId('own-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = address.value.replace(INVISIBLE, '').replace(ENDS, '');
    if (!wanted) return;
    if (URL.canParse(wanted, document.baseURI)) open(new URL(wanted, document.baseURI), wanted);
    else tell(phrase`${wanted} is not an address: an address begins with https:// or is the name of a file next to this page`);
  });
}
