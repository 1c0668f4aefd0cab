// SPDX-License-Identifier: MIT
// Builds a strip of pictures. Each picture is a radio button, so the arrow keys move between the pictures.
// @ts-check
import { STRIPS, make, phrase } from '../../shell/index.js';
/** @import { StripName, Subject } from '../../shell/index.js' */

/**
 * @param {HTMLElement} root the fieldset for the strip
 * @param {(subject: Subject) => void} choose
 */
export function createPictureStrip(root, choose) {
  const legend = make('legend');
  const row = make('div', { class: 'strip-row' });
  root.append(legend, row);
  return {
    /**
     * @param {StripName} name
     * @param {Subject[]} subjects
     * @param {Subject} first the picture in the first row; it may be missing from the strip
     */
    show(name, subjects, first) {
      root.dataset.strip = name;
      legend.textContent = phrase`Choose ${STRIPS[name].one} for the first row`;
      row.replaceChildren(
        ...subjects.map((subject, i) => {
          const { name: called, note, image } = subject;
          const input = make('input', { type: 'radio', name: root.id, value: String(i), 'aria-label': `${phrase(called)}, ${note}` });
          const canvas = make('canvas', { 'aria-hidden': 'true', width: String(image.width), height: String(image.height) });
          canvas.getContext('2d')?.putImageData(image, 0, 0);
          input.checked = subject === first;
          input.addEventListener('change', () => choose(subject));
          return make('label', { title: `${phrase(called)}, ${note}` }, input, canvas);
        }),
      );
    },
    /** Deselects all pictures, because the first row shows a picture that is not in the strip. */
    clear() {
      for (const input of row.querySelectorAll('input')) input.checked = false;
    },
  };
}
