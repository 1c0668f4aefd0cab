// SPDX-License-Identifier: MIT
// The bytes of a weight file, for figures that show its numbers.
// @ts-check

/** @param {string} address @returns {Promise<Response | undefined>} the library's copy; storage may be forbidden, as in a sandboxed frame */
async function copyOf(address) {
  try {
    return await caches.match(address, { ignoreVary: true });
  } catch {
    return undefined;
  }
}

/** Fetches the bytes of a weight file, mostly from the browser's cache; without a connection, from that of the library. @param {string} address */
export async function weightBytes(address) {
  const response = await fetch(address).catch(async (error) => {
    const copy = await copyOf(address);
    if (!copy) throw error;
    return copy;
  });
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`.trim());
  return response.arrayBuffer();
}
