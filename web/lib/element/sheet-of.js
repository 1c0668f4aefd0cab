// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns a function that returns a document's style sheet with this text; each document has one, created on first use. A strict
 * Content-Security-Policy allows such a sheet. The function returns undefined if the browser does not support such sheets, as in jsdom.
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
