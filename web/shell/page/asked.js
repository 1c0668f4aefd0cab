// SPDX-License-Identifier: MIT
// Lets a link replace the page's model by one from another site: PAGE/?model=https://host/file.gguf. The page's head declares which models
// it accepts: <meta name="takes" content="complete superResolve 32x32x3"> lists verbs or the kind, the size of pictures, and architectures
// if the page accepts only these (misfit.js).
// @ts-check

/** @type {HTMLMetaElement | null} */
export const meta = document.querySelector('meta[name="takes"]');
const given = meta && new URLSearchParams(location.search).get('model');
/** Returns the address of the model that the page's address names, or null if the page shows its own model. A malformed address is returned
 * unchanged, and loading it reports the error. */
export const asked = given ? (URL.canParse(given, location.href) ? new URL(given, location.href).href : given) : null;
