// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Style sheets of a text, one for each document, created on first use, which a strict Content-Security-Policy allows. Undefined if such
 * sheets are not supported, as in jsdom.
 *
 * @param {string} text
 * @returns {(document: Document) => CSSStyleSheet | undefined}
 */
export function sheetOf(text) {
  /** @type {WeakMap<Document, CSSStyleSheet>} */
  const sheets = new WeakMap();
  return (document) => {
    const Sheet = document.defaultView?.CSSStyleSheet;
    if (typeof Sheet?.prototype.replaceSync !== 'function') return undefined;
    let sheet = sheets.get(document);
    if (!sheet) {
      sheet = new Sheet();
      sheet.replaceSync(text);
      sheets.set(document, sheet);
    }
    return sheet;
  };
}
