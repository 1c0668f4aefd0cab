// SPDX-License-Identifier: MIT
// Recordings as the page keeps them.
// @ts-check

/** The samples of mu-law levels in base64. @param {string} text */
export function samplesOf(text) {
  return Float32Array.from(atob(text), (letter) => {
    const y = (letter.charCodeAt(0) / 255) * 2 - 1;
    return (Math.sign(y) * (256 ** Math.abs(y) - 1)) / 255;
  });
}
