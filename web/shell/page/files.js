// SPDX-License-Identifier: MIT
// Accepts files that a visitor chooses with a button, drops on a figure, or pastes.
// @ts-check
import { phrase } from './phrase.js';

/** For each medium, a pattern that matches the MIME type or the name of a file. */
export const MEDIA = {
  picture: /^image\//i,
  sound: /^(audio|video)\//i,
  music: /midi?$|\.(rmi|kar)$/i,
  model: /\.gguf$/i,
};

/** @param {DataTransfer | null} transfer */
export const hasFiles = (transfer) => Boolean(transfer?.types.includes('Files'));

/**
 * Returns the first file that matches `medium`, or the first file if none matches.
 *
 * @param {DataTransfer | null} transfer
 * @param {RegExp} medium
 */
export function fileOf(transfer, medium) {
  const files = [...(transfer?.files ?? [])];
  return files.find(({ type, name }) => medium.test(type) || medium.test(name)) ?? files[0];
}

/** The figures that accept pasted files. @type {Map<HTMLElement, { take: (file: File) => void, medium: RegExp }>} */
const takers = new Map();

/**
 * Lets visitors give files to a figure or to the page. The input is disabled until a model has loaded. Until then, a dropped or pasted file
 * is rejected with a message.
 *
 * @param {HTMLElement} figure  the figure, or `document.documentElement` to receive files that are dropped outside all figures (but not
 *   pasted files)
 * @param {{ input: HTMLInputElement, medium: RegExp, take: (file: File) => void, say: (sentence: string) => void, models?: boolean,
 *   zone?: HTMLElement }} how  models: whether `take` also accepts model files; if not, model files go to the page. zone: the element that
 *   is highlighted while a file is dragged over it
 */
export function takeFiles(figure, { input, medium, take, say, models = false, zone = figure }) {
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    input.value = ''; // allows the same file to be chosen again
    if (file) take(file);
  });
  /** @param {File} file */
  const given = (file) => {
    if (input.disabled) say(phrase`There is no model yet. Choose or drop the file again when the model is loaded.`);
    else take(file);
  };
  figure.addEventListener('dragover', (event) => {
    const { dataTransfer } = event;
    if (event.defaultPrevented || !dataTransfer || !hasFiles(dataTransfer)) return;
    event.preventDefault();
    dataTransfer.dropEffect = 'copy';
    zone.classList.add('dropping');
  });
  figure.addEventListener('dragleave', (event) => {
    if (!figure.contains(/** @type {Node | null} */ (event.relatedTarget))) zone.classList.remove('dropping');
  });
  figure.addEventListener('drop', (event) => {
    const { dataTransfer } = event;
    zone.classList.remove('dropping');
    if (event.defaultPrevented || !dataTransfer || !hasFiles(dataTransfer)) return;
    const file = fileOf(dataTransfer, medium);
    if (file && !models && MEDIA.model.test(file.name)) return;
    event.preventDefault();
    const entry = [...dataTransfer.items].find(({ kind }) => kind === 'file')?.webkitGetAsEntry?.();
    if (!file) say(phrase`That was a link, not a file. Save the file first: this page fetches nothing from elsewhere.`);
    else if (dataTransfer.files.length === 1 && entry?.isDirectory) say(phrase`${file.name} is a folder. Choose one of its files.`);
    else given(file);
  });
  if (figure === document.documentElement) return;
  if (takers.size === 0) document.addEventListener('paste', paste);
  takers.set(figure, { take: given, medium });
}

/** Returns the height of the part of an element that is visible on the screen. @param {Element} element */
function visible(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0);
}

/**
 * Gives a pasted file to the figure that has the focus, or else to the figure that fills most of the screen. Text that is pasted into a
 * text field goes to that field, even if the clipboard also contains a picture. Spreadsheets and word processors add a picture of the
 * copied text to the clipboard.
 *
 * @param {ClipboardEvent} event
 */
function paste(event) {
  const [target] = event.composedPath();
  if (!event.clipboardData?.files.length || document.querySelector('dialog[open]')) return;
  if (event.clipboardData.types.includes('text/plain') && target instanceof Element && target.matches('input, textarea')) return;
  const figures = [...takers.keys()];
  const figure =
    figures.find((one) => one.contains(/** @type {Node} */ (event.target))) ??
    figures.filter((one) => visible(one) > 0).sort((a, b) => visible(b) - visible(a))[0];
  const taker = takers.get(figure);
  const file = taker && fileOf(event.clipboardData, taker.medium);
  if (!file) return;
  event.preventDefault();
  taker.take(file);
}
