#include "CProcessor.h"
#include <string.h>

/* Slicing by eight: table[k][b] is the CRC of byte b followed by k zero bytes. */
static uint32_t table[8][256];

__attribute__((constructor)) static void fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        table[0][byte] = crc;
    }
    for (int slice = 1; slice < 8; slice++)
        for (uint32_t byte = 0; byte < 256; byte++)
            table[slice][byte] = (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xFF];
}

uint32_t belfry_crc32c_table(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    crc = ~crc;
    while (count >= 8) {
        uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^ table[4][low >> 24]
            ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
        at += 8;
        count -= 8;
    }
    while (count-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *at++) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__)

#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_instruction(uint32_t crc, const uint8_t *at, size_t count) {
    uint64_t state = ~crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        state = _mm_crc32_u64(state, word);
        at += 8;
        count -= 8;
    }
    uint32_t rest = (uint32_t)state;
    while (count-- > 0) rest = _mm_crc32_u8(rest, *at++);
    return ~rest;
}

uint32_t belfry_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (__builtin_cpu_supports("sse4.2")) return crc32c_instruction(crc, bytes, count);
    return belfry_crc32c_table(crc, bytes, count);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

uint32_t belfry_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    crc = ~crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        crc = __crc32cd(crc, word);
        at += 8;
        count -= 8;
    }
    while (count-- > 0) crc = __crc32cb(crc, *at++);
    return ~crc;
}

#else

uint32_t belfry_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return belfry_crc32c_table(crc, bytes, count);
}

#endif
