/* What Belfry uses of libcrypto. The digest is fetched once: looking it up anew costs more than hashing a commit. */
#ifndef BELFRY_COPENSSL_SHIM_H
#define BELFRY_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

/* One SHA-256; 1 when it worked. */
static inline int belfry_sha256(EVP_MD_CTX *context, const EVP_MD *digest, const void *bytes, size_t count,
                                unsigned char *out) {
    return EVP_DigestInit_ex2(context, digest, NULL) == 1 && EVP_DigestUpdate(context, bytes, count) == 1 &&
           EVP_DigestFinal_ex(context, out, NULL) == 1;
}

/* One HMAC-SHA256 into 32 bytes; 1 when it worked. */
static inline int belfry_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                                     void *out) {
    static const unsigned char none[1] = {0};
    unsigned int length = 0;
    return HMAC(EVP_sha256(), key_count ? key : none, (int)key_count, count ? bytes : none, count, out, &length) !=
               NULL && length == 32;
}

static inline const char *belfry_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

#endif
