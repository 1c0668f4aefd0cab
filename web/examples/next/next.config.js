// SPDX-License-Identifier: MIT
export default { output: 'export' }; // a folder of static files; the library needs no server
