// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs before every other script of a page (pages.js inserts it). The script records the page's errors for engines whose drivers do not
 * report them. On the driver's request, the script also reports the contents of the first figure.
 *
 * Canvases are compared cell by cell, because a canvas may have another size in another engine. A small canvas has one pixel per cell; a
 * large canvas is divided into 28 x 28 cells, as many as a digit has pixels. A canvas with `data-varies` depends on the machine's speed and
 * is left out. The pixels of text on a canvas depend on fonts, so the characters are compared instead of the canvas. If the figure has an
 * element with `data-result`, the value of this attribute replaces all canvases; if the value is empty, the text of the element replaces
 * them.
 */
{
  /** A canvas up to this width has one pixel per cell. */
  const SMALL = 64;
  const SIDE = 28;
  /**
   * A figure is done when its content has not changed for QUIET_MS. If no playback controls have appeared after TRANSPORT_MS, the figure
   * has none. Both times are in milliseconds.
   */
  const QUIET_MS = 3000;
  const TRANSPORT_MS = 30_000;

  /** @type {string[]} */
  const complaints = [];
  for (const kind of /** @type {const} */ (['error', 'warn'])) {
    const plain = console[kind].bind(console);
    console[kind] = (...words) => {
      complaints.push(`console.${kind}: ${words.map(String).join(' ')}`);
      plain(...words);
    };
  }
  addEventListener(
    'error',
    (/** @type {Event} */ event) => {
      const { src, href } = /** @type {any} */ (event.target) ?? {};
      complaints.push(
        event instanceof ErrorEvent ? `uncaught: ${event.message} (${event.filename}:${event.lineno})` : `not loaded: ${src ?? href}`,
      );
    },
    true,
  );
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(`rejected: ${reason?.stack ?? reason}`));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    complaints.push(`policy: ${violatedDirective} ${blockedURI}`),
  );

  /** Returns the colours of a canvas, cell by cell. @param {HTMLCanvasElement} canvas */
  function cells(canvas) {
    const { width, height } = canvas;
    const context = canvas.getContext('2d');
    if (!context || width === 0) return { size: `${width} x ${height}`, text: '' };
    const [columns, rows] = width <= SMALL ? [width, height] : [SIDE, SIDE];
    const { data } = context.getImageData(0, 0, width, height);
    let text = '';
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const at = 4 * (Math.floor(((row + 0.5) * height) / rows) * width + Math.floor(((column + 0.5) * width) / columns));
        text += `${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]};`;
      }
    }
    return { size: `${columns} x ${rows}`, text };
  }

  /**
   * Returns elements of a figure, including those in its open shadow roots.
   * @param {ParentNode | null} root
   * @param {string} selector
   * @returns {HTMLElement[]}
   */
  function within(root, selector) {
    if (!root) return [];
    const inner = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => within(shadowRoot, selector));
    return [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector)), ...inner];
  }

  /** Returns the content of the first figure. */
  function look() {
    const figure = document.querySelector('figure');
    const results = within(figure, '[data-result]').map((element) => {
      const text = element.dataset.result || element.textContent || '';
      return { name: element.id || 'text', size: `${text.length} characters`, text };
    });
    if (results.length > 0) return results;
    return /** @type {HTMLCanvasElement[]} */ (within(figure, 'canvas'))
      .filter((canvas) => canvas.offsetParent !== null && !('varies' in canvas.dataset))
      .map((canvas) => ({ name: canvas.getAttribute('aria-label') ?? '', ...cells(canvas) }));
  }

  let before = '';
  let since = 0;
  let changes = 0;
  /** Returns the content once everything is drawn, and null until then. */
  function done() {
    const figure = document.querySelector('figure');
    if (document.readyState !== 'complete' || !figure) return null;
    if (since === 0) figure.scrollIntoView({ behavior: 'instant' });
    const shown = look();
    const now = JSON.stringify(shown);
    if (now !== before || since === 0) {
      before = now;
      since = performance.now();
      changes++;
    }
    const transport = within(figure, '[data-phase]')[0];
    if (!transport && performance.now() < TRANSPORT_MS) return null;
    const phase = transport?.dataset.phase ?? 'done';
    // A figure that plays only after a click shows its result before the click.
    const waits = phase === 'ready' && within(figure, '[data-result]').length > 0 && shown.every(({ text }) => text);
    return (phase === 'done' || waits) && shown.length > 0 && performance.now() - since > QUIET_MS ? shown : null;
  }

  /** @type {any} */ (globalThis).witness = { complaints, done, changes: () => changes };
}
