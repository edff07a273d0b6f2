/* What Belfry uses of libcurl. Its setters take any number of arguments, which Swift cannot call: here is one a type. */
#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

#include <curl/curl.h>

/* Called with `size * count` bytes; whatever it answers but that number ends the transfer. */
typedef size_t (*belfry_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode belfry_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/* The text is copied. */
static inline CURLcode belfry_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

/* Nothing but http and https. Before 7.85 the protocols are bits. */
static inline CURLcode belfry_curl_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* The list is not copied. */
static inline CURLcode belfry_curl_set_headers(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

/* The bytes are copied. */
static inline CURLcode belfry_curl_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

static inline CURLcode belfry_curl_set_sinks(CURL *easy, belfry_curl_sink head, belfry_curl_sink body, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code;
}

/* CURL_ERROR_SIZE bytes that must stay where they are while the handle lives. */
static inline CURLcode belfry_curl_set_words(CURL *easy, char *words) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, words);
}

static inline long belfry_curl_status(CURL *easy) {
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

static inline CURLMcode belfry_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

#endif
