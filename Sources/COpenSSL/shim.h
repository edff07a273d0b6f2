/* What Belfry uses of libcrypto. The digest is fetched once: looking it up anew costs more than hashing a commit. */
#ifndef BELFRY_COPENSSL_SHIM_H
#define BELFRY_COPENSSL_SHIM_H

#include <limits.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include "siv.h"

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

/* One SHA-1 into 20 bytes; 1 when it worked. */
static inline int belfry_sha1(const void *bytes, size_t count, unsigned char *out) {
    return EVP_Digest(bytes, count, out, NULL, EVP_sha1(), NULL) == 1;
}

/* One HMAC-SHA1 into 20 bytes; 1 when it worked. */
static inline int belfry_hmac_sha1(const void *key, size_t key_count, const void *bytes, size_t count, void *out) {
    static const unsigned char none[1] = {0};
    unsigned int length = 0;
    return HMAC(EVP_sha1(), key_count ? key : none, (int)key_count, count ? bytes : none, count, out, &length) !=
               NULL && length == 20;
}

/* What a private key is good for. */
enum { BELFRY_KEY_OTHER = 0, BELFRY_KEY_P256 = 1, BELFRY_KEY_RSA = 2 };

static inline int belfry_key_kind(const EVP_PKEY *key) {
    char group[64];
    size_t length = 0;
    if (EVP_PKEY_is_a(key, "RSA")) return BELFRY_KEY_RSA;
    if (!EVP_PKEY_is_a(key, "EC")) return BELFRY_KEY_OTHER;
    if (EVP_PKEY_get_group_name(key, group, sizeof group, &length) != 1) return BELFRY_KEY_OTHER;
    return strcmp(group, "prime256v1") == 0 ? BELFRY_KEY_P256 : BELFRY_KEY_OTHER;
}

/* A key under a password has none: without this, libcrypto would ask for it on the terminal. */
static int belfry_no_password(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

/* NULL when the text holds no private key that can be read. */
static inline EVP_PKEY *belfry_read_private_key(const void *pem, size_t count) {
    BIO *bio = count <= INT_MAX ? BIO_new_mem_buf(pem, (int)count) : NULL;
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, belfry_no_password, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    return key;
}

/* The key as PEM (PKCS 8, no password) into `out`; its length, or 0. */
static inline size_t belfry_write_private_key(EVP_PKEY *key, char *out, size_t room) {
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    size_t length = 0;
    if (bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1) {
        long written = BIO_get_mem_data(bio, &text);
        if (written > 0 && (size_t)written <= room) memcpy(out, text, length = (size_t)written);
    }
    BIO_free(bio);
    return length;
}

static inline EVP_PKEY *belfry_new_p256(void) { return EVP_EC_gen("P-256"); }

/* A P-256 key from its 65 public bytes (uncompressed), and its 32 private ones unless NULL. Checks that the point is one. */
static inline EVP_PKEY *belfry_p256_from(const unsigned char *point, const unsigned char *secret) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *number = secret ? BN_bin2bn(secret, 32, BN_secure_new()) : NULL;
    if (context && builder && (!secret || number) &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1 &&
        (!number || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1) &&
        (parameters = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, number ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    OSSL_PARAM_free(parameters);
    BN_clear_free(number);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return key;
}

/* The 65 bytes of a P-256 key's point, uncompressed; 1 when it worked. */
static inline int belfry_p256_point(EVP_PKEY *key, unsigned char *out) {
    size_t length = 0;
    return EVP_PKEY_set_utf8_string_param(key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed") == 1 &&
           EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, out, 65, &length) == 1 && length == 65;
}

/* ECDH: the 32 bytes two keys have in common; 1 when it worked. */
static inline int belfry_p256_agree(EVP_PKEY *own, EVP_PKEY *other, unsigned char *out) {
    size_t length = 32;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
    int is_done = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1 &&
                  EVP_PKEY_derive(context, out, &length) == 1 && length == 32;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return is_done;
}

/* Signs the SHA-256 of a message the way the key does (RSA: PKCS 1; EC: DER). Its length, or 0 when there is no room. */
static inline size_t belfry_sign_sha256(EVP_PKEY *key, const void *bytes, size_t count, unsigned char *out,
                                        size_t room) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = room;
    int is_done = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                  EVP_DigestSign(context, out, &length, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_done ? length : 0;
}

/* An ECDSA signature of P-256 from DER to the 64 bytes r || s that JWT wants (RFC 7518 section 3.4); 1 when it worked. */
static inline int belfry_signature_from_der(const unsigned char *der, size_t count, unsigned char *out) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)count);
    int is_done = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, 32) == 32 &&
                  BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    return is_done;
}

/* NULL when the bytes are no public key (DER, SubjectPublicKeyInfo). */
static inline EVP_PKEY *belfry_read_public_key(const unsigned char *der, size_t count) {
    EVP_PKEY *key = count <= LONG_MAX ? d2i_PUBKEY(NULL, &der, (long)count) : NULL;
    ERR_clear_error();
    return key;
}

/* The public key of a certificate in PEM, or NULL. Whether the certificate is to be believed is for the caller to know. */
static inline EVP_PKEY *belfry_read_certificate_key(const void *pem, size_t count) {
    BIO *bio = count <= INT_MAX ? BIO_new_mem_buf(pem, (int)count) : NULL;
    X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, belfry_no_password, NULL) : NULL;
    EVP_PKEY *key = certificate ? X509_get_pubkey(certificate) : NULL;
    X509_free(certificate);
    BIO_free(bio);
    ERR_clear_error();
    return key;
}

/* Whether a signature (RSA: PKCS 1; EC: DER) is the key's. */
static inline int belfry_verify(EVP_PKEY *key, int is_sha1, const void *bytes, size_t count, const unsigned char *signature,
                                size_t signature_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_good = context &&
                  EVP_DigestVerifyInit(context, NULL, is_sha1 ? EVP_sha1() : EVP_sha256(), NULL, key) == 1 &&
                  EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_good;
}

/* AES-128-GCM without further data: `count` bytes and 16 of tag into `out`; 1 when it worked. */
static inline int belfry_seal_aes128gcm(const unsigned char *key, const unsigned char *nonce, const void *bytes,
                                        size_t count, unsigned char *out) {
    int length = 0, rest = 0;
    EVP_CIPHER_CTX *context = count <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    int is_done = context && EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, NULL) == 1 &&
                  EVP_EncryptUpdate(context, out, &length, bytes, (int)count) == 1 &&
                  EVP_EncryptFinal_ex(context, out + length, &rest) == 1 && (size_t)(length + rest) == count &&
                  EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, out + count) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_done;
}

/* Conceals or reveals `count` bytes with AES-256-CTR, as those from the `skip`-th byte on of the stream's block `block`. */
static inline int belfry_aes256ctr(const unsigned char *key, unsigned long long block, size_t skip, const void *bytes,
                                   size_t count, void *out) {
    unsigned char counter[16] = {0}, dropped[16];
    int length = 0, rest = 0;
    for (int at = 15; at >= 8; at--, block >>= 8) counter[at] = (unsigned char)block;
    memset(dropped, 0, sizeof dropped);
    EVP_CIPHER_CTX *context = count <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    int is_done = context && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, counter) == 1 &&
                  EVP_EncryptUpdate(context, dropped, &length, dropped, (int)skip) == 1 &&
                  EVP_EncryptUpdate(context, out, &rest, bytes, (int)count) == 1 && (size_t)rest == count;
    EVP_CIPHER_CTX_free(context);
    return is_done;
}

static inline const char *belfry_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

#endif
