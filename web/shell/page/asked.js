// SPDX-License-Identifier: MIT
// A model from another site instead of the page's own, by a link: PAGE/?model=https://host/file.gguf. The page's head states the
// requirements of such a model: <meta name="takes" content="complete superResolve 32x32x3">, verbs or the kind of the model and, for
// pictures, their size, and architectures, if only these will do (misfit.js).
// @ts-check

/** @type {HTMLMetaElement | null} */
export const meta = document.querySelector('meta[name="takes"]');
const given = meta && new URLSearchParams(location.search).get('model');
/** Returns the address of the model in the page's address; null: the page shows its own model. An invalid address is returned unchanged, so
 * that loading it reports the error. */
export const asked = given ? (URL.canParse(given, location.href) ? new URL(given, location.href).href : given) : null;
