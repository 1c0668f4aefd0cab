// SPDX-License-Identifier: MIT
export default { output: 'export' }; // the build is a folder of static files; the library needs no server
