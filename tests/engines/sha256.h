/* SPDX-License-Identifier: MIT   SHA-256 (FIPS 180-4), so that the native program prints the same hashes as crypto.subtle. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

/* text is an array (65). It receives the digest in lower-case hexadecimal, with a terminating zero */
void sha256(const void *bytes, size_t length, char *text);

#endif
