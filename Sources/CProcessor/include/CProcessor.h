/* What the processor can do and Swift cannot say. */
#ifndef BELFRY_CPROCESSOR_H
#define BELFRY_CPROCESSOR_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli): the CPU's instruction where it has one, a table otherwise.
   Continues `crc` (0 to begin with) over `count` bytes. */
uint32_t belfry_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The same by table alone, so that a test can hold the two against each other. */
uint32_t belfry_crc32c_table(uint32_t crc, const void *bytes, size_t count);

/* Begins to fetch what will be needed soon. It changes nothing, and any address will do. */
static inline void belfry_prefetch(const void *address) { __builtin_prefetch(address, 1); }

#endif
