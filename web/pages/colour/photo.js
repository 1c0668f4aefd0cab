// SPDX-License-Identifier: MIT
// Gets a picture from the visitor: from a file, a drop on the figure, a paste, or the camera. The picture never leaves the device.
// @ts-check
import { MEDIA, PictureError, announce, hasFiles, make, openPicture, phrase, takeFiles } from '../../shell/index.js';
import { takePicture } from './camera.js';
import { isModelFile } from './own-model.js';
import { centralSquare } from './square.js';

/**
 * Creates the buttons in an element of the figure.
 * @param {HTMLElement} root
 * @param {number} size side in pixels of the square to which the picture is reduced
 * @param {string} fate text that describes how the central square of the picture is converted
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
        phrase`You can also drop a picture anywhere on this figure, or paste one. Its middle square is ${fate}. The picture never leaves this page.`,
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
  /** Reads a picture. If several calls overlap, only the last call has an effect. @param {() => Promise<ImageBitmap | null>} get */
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
  camera.addEventListener('click', () => use(takePicture));
  takeFiles(figure, { input, medium: MEDIA.picture, take, say: (sentence) => say(sentence, true), models: true });
}

let kept = false;
/** Prevents a file dropped outside a figure from replacing the page. */
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
}
