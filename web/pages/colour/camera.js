// SPDX-License-Identifier: MIT
// Takes a picture with the camera. A dialog shows the camera's live picture, a shutter button and a cancel button. The camera is always
// switched off when the dialog closes.
// @ts-check
import { PictureError, deviceRefused, make, openDevice, phrase } from '../../shell/index.js';

/** @param {MediaStream} stream */
const switchOff = (stream) => stream.getTracks().forEach((track) => track.stop());

/** @returns {Promise<ImageBitmap | null>} null if the visitor cancelled */
export async function takePicture() {
  const video = make('video', { playsinline: '', 'aria-label': phrase`What the camera sees` });
  video.muted = true;
  const shutter = make('button', { type: 'button', class: 'button primary' }, phrase`Take the picture`);
  const cancel = make('button', { type: 'button', class: 'button' }, phrase`Cancel`);
  const text = make('p', { class: 'camera-text' }, phrase`Waiting for the camera. The browser may ask you whether this page may use it.`);
  const dialog = make(
    'dialog',
    { class: 'camera', 'aria-label': phrase`Camera` },
    make('div', { class: 'camera-view' }, video),
    text,
    make('div', { class: 'camera-tools' }, shutter, cancel),
  );
  shutter.disabled = true;
  document.body.append(dialog);

  /** @type {Promise<void>} */
  const closed = new Promise((resolve) => dialog.addEventListener('close', () => resolve(), { once: true }));
  cancel.addEventListener('click', () => dialog.close());
  dialog.showModal(); // the Escape key closes the dialog
  /** @type {MediaStream | void} */
  let stream = undefined;
  try {
    const asked = openDevice({ video: { width: { ideal: 720 }, height: { ideal: 720 } } });
    stream = await Promise.race([asked, closed]);
    if (!stream) {
      asked.then(switchOff, () => {}); // switches off a camera that starts after the visitor has cancelled
      return null;
    }
    video.srcObject = stream;
    const [track] = stream.getVideoTracks();
    const gone = new Promise((_, reject) =>
      track.addEventListener('ended', () => reject(new PictureError(phrase`The camera was switched off.`))),
    );
    await Promise.race([video.play(), closed, gone]);
    shutter.disabled = false;
    shutter.focus();
    text.textContent = phrase`The part in the square becomes the picture. It stays on this page.`;
    const pressed = new Promise((resolve) => shutter.addEventListener('click', () => resolve(true), { once: true }));
    return (await Promise.race([pressed, closed, gone])) ? await createImageBitmap(video) : null;
  } catch (error) {
    if (error instanceof PictureError) throw error;
    if (!dialog.open) return null; // the visitor closed the dialog while the camera was starting
    throw new PictureError(deviceRefused('camera', error));
  } finally {
    if (stream) switchOff(stream);
    video.srcObject = null;
    dialog.close();
    dialog.remove();
  }
}
