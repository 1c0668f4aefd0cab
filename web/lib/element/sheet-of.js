// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Style sheets of a text, one for each document, made when it first needs one: a strict Content-Security-Policy allows them. None if there
 * are no such sheets, as in jsdom.
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
