/* CRC-32C (Castagnoli): the CPU's instruction where it has one, a table otherwise. */
#ifndef BELFRY_CCHECKSUM_H
#define BELFRY_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 to begin with) over `count` bytes. */
uint32_t belfry_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The same by table alone, so that a test can hold the two against each other. */
uint32_t belfry_crc32c_table(uint32_t crc, const void *bytes, size_t count);

#endif
