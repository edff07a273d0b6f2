/* AES-SIV (RFC 5297) with one string of associated data, over libcrypto's AES.
 *
 * libcrypto has the mode itself, but sets up a MAC and two ciphers anew for every message: it forgets the key once it has
 * sealed something. Here the key is set once and seals any number of messages. The tests hold the two against each other. */
#ifndef BELFRY_COPENSSL_SIV_H
#define BELFRY_COPENSSL_SIV_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

enum { BELFRY_SIV_BLOCK = 16, BELFRY_SIV_SCRATCH = 512 };

/* One key at a time. Belongs to one thread.
 *
 * Both ciphers are set up once a key: to set up one anew for a message costs more than to seal it. So the MAC goes on from
 * message to message, and takes back what the one before left; the stream is made of encrypted counters. */
typedef struct {
    EVP_CIPHER_CTX *mac, *blocks;
    /* CMAC's two subkeys, and the CMAC of a block of zeros, with which S2V begins. */
    unsigned char whole[BELFRY_SIV_BLOCK], cut[BELFRY_SIV_BLOCK], begin[BELFRY_SIV_BLOCK];
    /* The last block that came out of `mac`: it is xored with the next one that goes in. */
    unsigned char left[BELFRY_SIV_BLOCK];
} belfry_siv;

static inline void belfry_siv_free(belfry_siv *siv) {
    if (!siv) return;
    EVP_CIPHER_CTX_free(siv->mac);
    EVP_CIPHER_CTX_free(siv->blocks);
    OPENSSL_cleanse(siv, sizeof *siv);
    free(siv);
}

/* For keys of 64 bytes (AES-256), or of 32 (AES-128). NULL where libcrypto has no such cipher. */
static inline belfry_siv *belfry_siv_new(size_t key_count) {
    belfry_siv *siv = calloc(1, sizeof *siv);
    if (!siv) return NULL;
    EVP_CIPHER *mac = EVP_CIPHER_fetch(NULL, key_count == 64 ? "AES-256-CBC" : "AES-128-CBC", NULL);
    EVP_CIPHER *blocks = EVP_CIPHER_fetch(NULL, key_count == 64 ? "AES-256-ECB" : "AES-128-ECB", NULL);
    siv->mac = EVP_CIPHER_CTX_new();
    siv->blocks = EVP_CIPHER_CTX_new();
    /* Named once and without a key: a context that is given its cipher again throws away all that it has and begins anew,
     * which costs more than to set a key. */
    static const unsigned char zeros[BELFRY_SIV_BLOCK] = {0};
    int is_done = mac && blocks && siv->mac && siv->blocks &&
                  EVP_EncryptInit_ex2(siv->mac, mac, NULL, zeros, NULL) == 1 &&
                  EVP_EncryptInit_ex2(siv->blocks, blocks, NULL, NULL, NULL) == 1;
    EVP_CIPHER_free(mac);
    EVP_CIPHER_free(blocks);
    if (is_done) return siv;
    belfry_siv_free(siv);
    return NULL;
}

static inline void belfry_siv_xor(unsigned char *into, const unsigned char *other) {
    for (int at = 0; at < BELFRY_SIV_BLOCK; at++) into[at] ^= other[at];
}

/* Doubles in GF(2^128), in a time that does not depend on the block. */
static inline void belfry_siv_double(unsigned char *block) {
    unsigned char carry = (unsigned char)(block[0] >> 7);
    for (int at = 0; at < BELFRY_SIV_BLOCK - 1; at++)
        block[at] = (unsigned char)(block[at] << 1 | block[at + 1] >> 7);
    block[BELFRY_SIV_BLOCK - 1] = (unsigned char)(block[BELFRY_SIV_BLOCK - 1] << 1 ^ (0x87 & (0 - carry)));
}

/* Goes on with a CBC-MAC over whole blocks, of which there is one at least. */
static inline int belfry_siv_chain(belfry_siv *siv, const unsigned char *bytes, size_t count) {
    unsigned char out[BELFRY_SIV_SCRATCH];
    int length = 0, piece = 0;
    for (; count > 0; bytes += piece, count -= (size_t)piece) {
        piece = (int)(count < sizeof out ? count : sizeof out);
        /* Whole blocks are encrypted at once, padding or not: that comes at the end of a message, and there is none. */
        if (EVP_EncryptUpdate(siv->mac, out, &length, bytes, piece) != 1 || length != piece) return 0;
    }
    memcpy(siv->left, out + piece - BELFRY_SIV_BLOCK, BELFRY_SIV_BLOCK);
    return 1;
}

/* The CMAC of a message; with `end`, of one whose last 16 bytes (it has that many) are first xored with it. */
static inline int belfry_siv_cmac(belfry_siv *siv, const unsigned char *bytes, size_t count, const unsigned char *end,
                                  unsigned char *out) {
    unsigned char first[BELFRY_SIV_BLOCK], tail[BELFRY_SIV_SCRATCH];
    size_t over = count % BELFRY_SIV_BLOCK;
    /* What is changed at the end: its last block, and with `end` the one that its last 16 bytes begin in. A short message
     * is handled in one piece; of a longer one the first block is changed as well. */
    size_t kept = count + BELFRY_SIV_BLOCK <= sizeof tail ? count
                  : end                                   ? BELFRY_SIV_BLOCK + over
                  : over                                  ? over
                                                          : BELFRY_SIV_BLOCK;
    size_t padded = over || !count ? kept - over + BELFRY_SIV_BLOCK : kept;
    if (kept) memcpy(tail, bytes + count - kept, kept);
    if (end) belfry_siv_xor(tail + kept - BELFRY_SIV_BLOCK, end);
    if (padded > kept) {
        memset(tail + kept, 0, padded - kept);
        tail[kept] = 0x80;
    }
    belfry_siv_xor(tail + padded - BELFRY_SIV_BLOCK, padded > kept ? siv->cut : siv->whole);
    int is_done = 1;
    if (kept < count) {
        memcpy(first, bytes, sizeof first);
        belfry_siv_xor(first, siv->left);
        is_done = belfry_siv_chain(siv, first, sizeof first);
        if (count - kept > sizeof first)
            is_done = is_done && belfry_siv_chain(siv, bytes + sizeof first, count - kept - sizeof first);
        OPENSSL_cleanse(first, sizeof first);
    } else {
        belfry_siv_xor(tail, siv->left);
    }
    is_done = is_done && belfry_siv_chain(siv, tail, padded);
    memcpy(out, siv->left, BELFRY_SIV_BLOCK);
    OPENSSL_cleanse(tail, padded);
    return is_done;
}

/* From now on under this key; 1 when it worked. */
static inline int belfry_siv_use(belfry_siv *siv, const unsigned char *key, size_t key_count) {
    static const unsigned char zeros[BELFRY_SIV_BLOCK] = {0};
    int length = 0;
    /* Without another one, the MAC begins with the zeros that it was given first. */
    if (EVP_EncryptInit_ex2(siv->mac, NULL, key, NULL, NULL) != 1 ||
        EVP_EncryptInit_ex2(siv->blocks, NULL, key + key_count / 2, NULL, NULL) != 1 ||
        EVP_EncryptUpdate(siv->mac, siv->whole, &length, zeros, BELFRY_SIV_BLOCK) != 1)
        return 0;
    memcpy(siv->left, siv->whole, BELFRY_SIV_BLOCK);
    belfry_siv_double(siv->whole);
    memcpy(siv->cut, siv->whole, BELFRY_SIV_BLOCK);
    belfry_siv_double(siv->cut);
    return belfry_siv_cmac(siv, zeros, BELFRY_SIV_BLOCK, NULL, siv->begin);
}

/* S2V of RFC 5297 section 2.4: the 16 bytes that stand for the associated data and the message. */
static inline int belfry_siv_s2v(belfry_siv *siv, const void *associated, size_t associated_count,
                                 const unsigned char *plain, size_t count, unsigned char *out) {
    unsigned char sum[BELFRY_SIV_BLOCK], code[BELFRY_SIV_BLOCK];
    memcpy(sum, siv->begin, sizeof sum);
    belfry_siv_double(sum);
    if (!belfry_siv_cmac(siv, associated, associated_count, NULL, code)) return 0;
    belfry_siv_xor(sum, code);
    if (count >= BELFRY_SIV_BLOCK) return belfry_siv_cmac(siv, plain, count, sum, out);
    belfry_siv_double(sum);
    memset(code, 0, sizeof code);
    if (count) memcpy(code, plain, count);
    code[count] = 0x80;
    belfry_siv_xor(sum, code);
    return belfry_siv_cmac(siv, sum, sizeof sum, NULL, out);
}

/* CTR as RFC 5297 section 2.5 has it: two bits of the code are cleared, and it counts up as one number. */
static inline int belfry_siv_stream(belfry_siv *siv, const unsigned char *code, const unsigned char *in, size_t count,
                                    unsigned char *out) {
    unsigned char counter[BELFRY_SIV_BLOCK], counters[BELFRY_SIV_SCRATCH], stream[BELFRY_SIV_SCRATCH];
    memcpy(counter, code, sizeof counter);
    counter[8] &= 0x7F;
    counter[12] &= 0x7F;
    while (count > 0) {
        int length = 0, made = 0;
        size_t piece = count < sizeof stream ? count : sizeof stream;
        for (; (size_t)made < piece; made += BELFRY_SIV_BLOCK) {
            memcpy(counters + made, counter, sizeof counter);
            for (int at = BELFRY_SIV_BLOCK - 1; at >= 0 && ++counter[at] == 0; at--);
        }
        if (EVP_EncryptUpdate(siv->blocks, stream, &length, counters, made) != 1 || length != made) return 0;
        for (size_t at = 0; at < piece; at++) out[at] = in[at] ^ stream[at];
        OPENSSL_cleanse(stream, (size_t)made);
        in += piece;
        out += piece;
        count -= piece;
    }
    return 1;
}

/* 16 bytes of code and then `count` sealed bytes into `out`, which is apart from `plain`; 1 when it worked. */
static inline int belfry_siv_seal(belfry_siv *siv, const void *associated, size_t associated_count, const void *plain,
                                  size_t count, unsigned char *out) {
    return belfry_siv_s2v(siv, associated, associated_count, plain, count, out) &&
           belfry_siv_stream(siv, out, plain, count, out + BELFRY_SIV_BLOCK);
}

/* What `count` bytes of code and sealed bytes hold, into `out`: 1; 0, and zeros there, when this key did not seal them for
 * this associated data; -1 when libcrypto failed. */
static inline int belfry_siv_open(belfry_siv *siv, const void *associated, size_t associated_count,
                                  const unsigned char *sealed, size_t count, unsigned char *out) {
    unsigned char code[BELFRY_SIV_BLOCK];
    if (count < BELFRY_SIV_BLOCK) return 0;
    size_t plain = count - BELFRY_SIV_BLOCK;
    if (!belfry_siv_stream(siv, sealed, sealed + BELFRY_SIV_BLOCK, plain, out) ||
        !belfry_siv_s2v(siv, associated, associated_count, out, plain, code))
        return -1;
    if (CRYPTO_memcmp(code, sealed, sizeof code) == 0) return 1;
    OPENSSL_cleanse(out, plain);
    return 0;
}

#endif
