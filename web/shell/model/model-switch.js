// SPDX-License-Identifier: MIT
// Builds a row of radio buttons that switch between models. The arrow keys move between the buttons.
// @ts-check
import { make } from '../page/dom.js';

/**
 * @param {HTMLFieldSetElement} root
 * @param {() => Promise<unknown>} onChange loads the chosen model
 */
export function createModelSwitch(root, onChange) {
  root.addEventListener('change', async ({ target }) => {
    await onChange();
    // A radio button loses the focus when it is disabled. The chosen button gets the focus back unless the visitor has moved the focus
    // elsewhere.
    if (document.activeElement === document.body) /** @type {HTMLInputElement} */ (target).focus({ preventScroll: true });
  });
  return {
    /** Returns the name of the chosen model. */
    get value() {
      return /** @type {HTMLInputElement} */ (root.querySelector('input:checked')).value;
    },
    /** Selects a model without loading it. */
    set value(name) {
      const input = root.querySelector(`input[value="${CSS.escape(name)}"]`);
      if (input instanceof HTMLInputElement) input.checked = true;
    },
    /** Adds a model to the choices unless the choices already contain it. @param {string} name @param {string} text */
    offer(name, text) {
      if (root.querySelector(`input[value="${CSS.escape(name)}"]`)) return;
      const { name: group } = /** @type {HTMLInputElement} */ (root.querySelector('input'));
      root.append(make('label', {}, make('input', { type: 'radio', name: group, value: name }), make('span', {}, text)));
    },
    /** Returns whether a model is being loaded. */
    get busy() {
      return root.disabled;
    },
    /**
     * Disables the switch while the work runs, so that only one download runs at a time.
     * @template T
     * @param {() => Promise<T>} work
     */
    async during(work) {
      root.disabled = true;
      try {
        return await work();
      } finally {
        root.disabled = false;
      }
    },
  };
}
