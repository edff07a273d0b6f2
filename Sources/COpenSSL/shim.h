/* What Belfry uses of libcrypto. The digest is fetched once: looking it up anew costs more than hashing a commit. */
#ifndef BELFRY_COPENSSL_SHIM_H
#define BELFRY_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

/* One SHA-256; 1 when it worked. */
static inline int belfry_sha256(EVP_MD_CTX *context, const EVP_MD *digest, const void *bytes, size_t count,
                                unsigned char *out) {
    return EVP_DigestInit_ex2(context, digest, NULL) == 1 && EVP_DigestUpdate(context, bytes, count) == 1 &&
           EVP_DigestFinal_ex(context, out, NULL) == 1;
}

static inline const char *belfry_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

#endif
