// SPDX-License-Identifier: MIT
// Gets a visitor's picture for a figure from a file, a drop on the figure, a paste, or the camera. The picture never leaves the page.
// @ts-check
import { announce, make, phrase } from '../../shell/index.js';
import { takePicture } from './camera.js';
import { isModelFile } from './own-model.js';
import { PictureError, openPicture } from './picture.js';
import { centralSquare } from './square.js';

/** The figures that accept pasted pictures. @type {Map<HTMLElement, (file: File) => void>} */
const takers = new Map();

/** @param {DataTransfer | null} transfer */
const hasFiles = (transfer) => Boolean(transfer?.types.includes('Files'));
/** Returns the first picture among several files, or the first file if there is no picture. @param {DataTransfer | null} transfer */
const fileOf = (transfer) =>
  [...(transfer?.files ?? [])].sort((a, b) => Number(b.type.startsWith('image/')) - Number(a.type.startsWith('image/')))[0];

/**
 * Creates the control in an element of the figure.
 * @param {HTMLElement} root
 * @param {number} size size in pixels to which the picture is reduced
 * @param {string} fate text that describes how the middle square is converted
 * @param {(image: ImageData) => void} onPicture
 * @param {(file: File) => void} onModel called when a model is dropped or pasted instead of a picture
 */
export function createPhoto(root, size, fate, onPicture, onModel) {
  const figure = /** @type {HTMLElement} */ (root.closest('figure'));
  const input = make('input', { type: 'file', accept: 'image/*', hidden: '' });
  const choose = make('button', { type: 'button', class: 'button' }, phrase`Choose a picture`);
  const camera = make('button', { type: 'button', class: 'button' }, phrase`Use the camera`);
  const said = make('p', { class: 'photo-said', hidden: '' });
  root.append(
    make('p', { class: 'photo-name' }, phrase`Or your own picture`),
    make(
      'div',
      { class: 'photo-tools' },
      choose,
      camera,
      input,
      make(
        'p',
        {},
        phrase`You can also drop one anywhere on this figure, or paste it. Its middle square is ${fate}. It never leaves this page.`,
      ),
    ),
    said,
  );

  /** @param {string} text @param {boolean} [wrong] */
  function say(text, wrong = false) {
    said.textContent = text;
    said.hidden = !text;
    said.classList.toggle('wrong', wrong);
    if (text) announce(text);
  }

  let latest = 0;
  /** Reads a picture. If several are requested, only the last one counts. @param {() => Promise<ImageBitmap | null>} get */
  async function use(get) {
    const mine = ++latest;
    try {
      const bitmap = await get();
      const image = bitmap && (await centralSquare(bitmap, size).finally(() => bitmap.close()));
      if (mine !== latest) return;
      say('');
      if (image) onPicture(image);
    } catch (error) {
      const text = error instanceof PictureError ? error.message : phrase`The picture cannot be read: ${error}`;
      if (mine === latest) say(text, true);
    }
  }
  /** @param {File} file */
  function take(file) {
    if (isModelFile(file)) {
      say('');
      onModel(file);
      return;
    }
    say(phrase`Reading the picture.`);
    use(() => openPicture(file));
  }

  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) take(file);
    input.value = ''; // lets the visitor choose the same file again
  });
  camera.addEventListener('click', () => use(takePicture));

  figure.addEventListener('dragover', (event) => {
    if (!event.dataTransfer || !hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    figure.classList.add('dropping');
  });
  figure.addEventListener('dragleave', (event) => {
    if (!figure.contains(/** @type {Node | null} */ (event.relatedTarget))) figure.classList.remove('dropping');
  });
  figure.addEventListener('drop', (event) => {
    figure.classList.remove('dropping');
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    const file = fileOf(event.dataTransfer);
    if (file) take(file);
    else say(phrase`That was a link, not a file. Save the picture first: this page fetches nothing from elsewhere.`, true);
  });
  takers.set(figure, take);
}

/** Returns the fraction of the window's height that an element covers. @param {Element} element */
function visible(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0);
}

/**
 * Passes a pasted picture to the figure with the focus, or else to the figure that covers most of the window.
 * @param {ClipboardEvent} event
 */
function paste(event) {
  const file = fileOf(event.clipboardData);
  if (!file || document.querySelector('dialog[open]')) return;
  const figures = [...takers.keys()];
  const figure =
    figures.find((one) => one.contains(/** @type {Node} */ (event.target))) ??
    figures.filter((one) => visible(one) > 0).sort((a, b) => visible(b) - visible(a))[0];
  if (!figure) return;
  event.preventDefault();
  takers.get(figure)?.(file);
}

let kept = false;
/** Prevents a file that is dropped outside a figure from replacing the page, and passes pasted pictures to their figures. */
export function keepDrops() {
  if (kept) return;
  kept = true;
  for (const type of /** @type {const} */ (['dragover', 'drop'])) {
    document.addEventListener(type, (event) => {
      if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    });
  }
  document.addEventListener('paste', paste);
}
