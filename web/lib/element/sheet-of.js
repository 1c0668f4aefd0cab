// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns a function that makes a style sheet with the given text for a document. Later calls for the same document return the same sheet.
 * Even a strict Content-Security-Policy allows constructed style sheets. Where constructed style sheets are not supported, as in jsdom, the
 * function returns undefined.
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
