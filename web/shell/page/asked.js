// SPDX-License-Identifier: MIT
// Lets a link replace the page's model with a model from another site: PAGE/?model=https://host/file.gguf. The page's <head> declares which
// models the page accepts, for example <meta name="takes" content="complete superResolve 32x32x3">. The attribute `content` lists the
// verbs (or the kind) of these models, and the size of their pictures. If the page needs certain architectures, the attribute also lists
// the names of these architectures (misfit.js).
// @ts-check

/** @type {HTMLMetaElement | null} */
export const meta = document.querySelector('meta[name="takes"]');
const given = meta && new URLSearchParams(location.search).get('model');
/**
 * Absolute address of the model in the query parameter `model`, or null if the page shows its own model. A malformed address stays
 * unchanged; loading the model then reports the error.
 */
export const asked = given ? (URL.canParse(given, location.href) ? new URL(given, location.href).href : given) : null;
