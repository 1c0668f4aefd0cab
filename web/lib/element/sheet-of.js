// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns a style sheet with this text, one per document, created on first use. Such a sheet is allowed by a strict
 * Content-Security-Policy. Undefined if the browser does not support such sheets, as in jsdom.
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
