// SPDX-License-Identifier: MIT
// A switch between models: radio buttons, so that arrow keys walk along it.
// @ts-check
import { make } from '../page/dom.js';

/**
 * @param {HTMLFieldSetElement} root
 * @param {() => Promise<unknown>} onChange loads the model that is chosen now
 */
export function createModelSwitch(root, onChange) {
  root.addEventListener('change', async ({ target }) => {
    await onChange();
    // A disabled field loses the focus. Whoever took it elsewhere meanwhile keeps it there.
    if (document.activeElement === document.body) /** @type {HTMLInputElement} */ (target).focus({ preventScroll: true });
  });
  return {
    /** The chosen model. */
    get value() {
      return /** @type {HTMLInputElement} */ (root.querySelector('input:checked')).value;
    },
    /** From elsewhere: nothing is loaded. */
    set value(name) {
      const input = root.querySelector(`input[value="${CSS.escape(name)}"]`);
      if (input instanceof HTMLInputElement) input.checked = true;
    },
    /** One more to choose from, if it is not there yet. @param {string} name @param {string} text */
    offer(name, text) {
      if (root.querySelector(`input[value="${CSS.escape(name)}"]`)) return;
      const { name: group } = /** @type {HTMLInputElement} */ (root.querySelector('input'));
      root.append(make('label', {}, make('input', { type: 'radio', name: group, value: name }), make('span', {}, text)));
    },
    /** Whether a model is being loaded. */
    get busy() {
      return root.disabled;
    },
    /**
     * Cannot be moved during this work: one download at a time.
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
