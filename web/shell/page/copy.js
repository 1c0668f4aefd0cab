// SPDX-License-Identifier: MIT
// Adds a copy button to each block of code.
// @ts-check
import { phrase } from './phrase.js';

/** How long the button shows that the code was copied, in milliseconds. */
const SAID_MS = 2000;

/** @param {HTMLElement} code */
function buttonFor(code) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = phrase`Copy`;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(`${code.textContent?.trimEnd()}\n`);
      button.textContent = phrase`Copied`;
    } catch {
      // if the page may not use the clipboard, selects the code so that the visitor can copy it with the keyboard
      getSelection()?.selectAllChildren(code);
      button.textContent = phrase`Selected`;
    }
    setTimeout(() => {
      button.textContent = phrase`Copy`;
    }, SAID_MS);
  });
  return button;
}

/** Adds the copy buttons to the blocks of code. @param {ParentNode} [within] */
export function copyCode(within = document) {
  for (const code of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll('pre[tabindex] > code'))) {
    const block = document.createElement('div');
    block.className = 'code-block';
    code.parentElement?.replaceWith(block);
    block.append(/** @type {HTMLElement} */ (code.parentElement), buttonFor(code));
  }
}
