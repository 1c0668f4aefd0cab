// SPDX-License-Identifier: MIT
// Draws every figure for printing, including figures that the visitor never scrolled to. Browsers do not wait for work that a beforeprint
// listener starts. When the visitor presses the print shortcut, the page therefore draws first and then opens the print dialog. If the
// visitor prints from the browser's menu, the first print only starts the drawing, and a second print shows the finished figures.
// @ts-check
import { countAsSeen } from './in-sight.js';

/** Printing waits until nothing on the page has changed for QUIET_MS, but no longer than MOST_MS. */
const [QUIET_MS, MOST_MS] = [1500, 20_000];

/** Resolves once a part of the page no longer changes. @param {Element} part */
function settled(part) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const end = () => {
        watching.disconnect();
        clearTimeout(quiet);
        clearTimeout(latest);
        resolve();
      };
      let quiet = setTimeout(end, QUIET_MS);
      const latest = setTimeout(end, MOST_MS);
      const watching = new MutationObserver(() => {
        clearTimeout(quiet);
        quiet = setTimeout(end, QUIET_MS);
      });
      watching.observe(part, { subtree: true, childList: true, attributes: true, characterData: true });
    })
  );
}

/** Draws all figures when the visitor prints the page. */
export function printAll() {
  const main = document.querySelector('main');
  if (!main) return;
  let begun = false;
  const draw = () => {
    if (!begun) countAsSeen(main);
    begun = true;
  };
  addEventListener('beforeprint', draw);
  matchMedia('print').addEventListener('change', ({ matches }) => matches && draw());
  document.addEventListener('keydown', async (event) => {
    const prints = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'p';
    if (!prints || begun) return; // if the keys are pressed again, the browser prints the page as it is
    event.preventDefault();
    draw();
    await settled(main);
    print();
  });
}
