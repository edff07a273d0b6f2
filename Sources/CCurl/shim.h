/* What Belfry uses of libcurl. Its setters take any number of arguments, which Swift cannot call: here is one a type. */
#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>
#include <openssl/ssl.h>

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

/* Answered by a sink that has no room: the bytes come again after `belfry_curl_resume`. */
static const size_t belfry_curl_later = CURL_WRITEFUNC_PAUSE;

/* On the thread that performs the transfer; what was held back is given to the sink before it returns. */
static inline CURLcode belfry_curl_resume(CURL *easy) { return curl_easy_pause(easy, CURLPAUSE_CONT); }

/* Asks the other side's system every so many seconds whether it is still there. */
static inline CURLcode belfry_curl_keep_alive(CURL *easy, long seconds) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, seconds);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, seconds);
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

/* The bytes of an address as it is written, in network order; how many: 4, 16, or 0 when it is none. */
static inline int belfry_parse_address(const char *text, unsigned char out[16]) {
    if (inet_pton(AF_INET, text, out) == 1) return 4;
    return inet_pton(AF_INET6, text, out) == 1 ? 16 : 0;
}

/* The bytes of the address that libcurl is about to connect to; how many: 4, 16, or 0 for another kind. */
static inline int belfry_curl_address(const struct curl_sockaddr *address, unsigned char out[16]) {
    if (address->family == AF_INET) {
        memcpy(out, &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family != AF_INET6) return 0;
    memcpy(out, &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr, 16);
    return 16;
}

/* Called before each connection with the address it would lead to; answers a socket, or CURL_SOCKET_BAD to refuse. */
typedef curl_socket_t (*belfry_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode belfry_curl_set_opener(CURL *easy, belfry_curl_opener opener, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opener);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline curl_socket_t belfry_curl_open(const struct curl_sockaddr *address) {
    int kind = address->socktype;
#ifdef SOCK_CLOEXEC
    kind |= SOCK_CLOEXEC;
#endif
    return socket(address->family, kind, address->protocol);
}

static inline curl_socket_t belfry_curl_refuse(void) { return CURL_SOCKET_BAD; }

/* Ends a connection whose other side has acknowledged nothing for so many milliseconds: what libcurl would go on using. */
static inline void belfry_curl_end_when_silent(curl_socket_t descriptor, unsigned int milliseconds) {
#ifdef TCP_USER_TIMEOUT
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#else
    (void)descriptor, (void)milliseconds;
#endif
}

/* Opens a connection and does no more: bytes are then sent and received by hand. What leads to it is a proxy's tunnel where
   `proxy` names one, unless `no_proxy` of the environment says otherwise. */
static inline CURLcode belfry_curl_only_connect(CURL *easy, const char *proxy) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Else whoever gives up waiting for a name waits for whoever looks it up. */
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    if (code == CURLE_OK && proxy != NULL) code = curl_easy_setopt(easy, CURLOPT_PROXY, proxy);
    if (code == CURLE_OK && proxy != NULL) code = curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    return code;
}

static void belfry_curl_shook_hands(const SSL *tls, int where, int result) {
    (void)result;
    int *speaks_h2 = (int *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls));
    if ((where & SSL_CB_HANDSHAKE_DONE) == 0 || speaks_h2 == NULL) return;
    const unsigned char *name = NULL;
    unsigned int count = 0;
    SSL_get0_alpn_selected(tls, &name, &count);
    *speaks_h2 = count == 2 && memcmp(name, "h2", 2) == 0;
}

static CURLcode belfry_curl_set_up_tls(CURL *easy, void *context, void *speaks_h2) {
    static const unsigned char offered[] = "\x02h2\x08http/1.1";
    (void)easy;
    if (SSL_CTX_set_alpn_protos((SSL_CTX *)context, offered, sizeof offered - 1) != 0) return CURLE_OUT_OF_MEMORY;
    SSL_CTX_set_app_data((SSL_CTX *)context, speaks_h2);
    SSL_CTX_set_info_callback((SSL_CTX *)context, belfry_curl_shook_hands);
    return CURLE_OK;
}

/* Offers HTTP/2 when hands are shaken, and has it written down whether the other side will speak it. An error with a libcurl that
   uses another library for TLS than OpenSSL. */
static inline CURLcode belfry_curl_ask_for_h2(CURL *easy, int *speaks_h2) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, belfry_curl_set_up_tls);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, speaks_h2);
}

static inline curl_socket_t belfry_curl_socket(CURL *easy) {
    curl_socket_t descriptor = CURL_SOCKET_BAD;
    (void)curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &descriptor);
    return descriptor;
}

/* Whether the request had begun to be sent. */
static inline int belfry_curl_sent_something(CURL *easy) {
    curl_off_t microseconds = 0;
    return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0;
}

/* Called when the connection stands and before anything of the request is written; answers 0 to go on. */
typedef int (*belfry_curl_gate)(void *context, char *there, char *here, int port_there, int port_here);

static inline CURLcode belfry_curl_ask_before_request(CURL *easy, belfry_curl_gate gate, void *context) {
#if LIBCURL_VERSION_NUM >= 0x075000
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, gate);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
#else
    (void)easy, (void)gate, (void)context;
    return CURLE_UNKNOWN_OPTION;
#endif
}

/* Told of what libcurl does, of each command among it (CURLINFO_HEADER_OUT); what it answers is not looked at. */
static inline CURLcode belfry_curl_listen(CURL *easy, curl_debug_callback listener, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, listener);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

/* Called for up to `size * count` bytes of what is sent; answers how many it gave, 0 at the end. */
typedef size_t (*belfry_curl_source)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode belfry_curl_only_smtp(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#endif
}

/* No mail: greeting, encryption, sign-in, a command that does nothing, and farewell. */
static inline CURLcode belfry_curl_set_greeting(CURL *easy) {
    CURLcode code = belfry_curl_only_smtp(easy);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "NOOP");
    return code;
}

/* A mail: nothing but SMTP, its recipients (not copied), and where its bytes come from. */
static inline CURLcode belfry_curl_set_mail(CURL *easy, struct curl_slist *recipients, size_t count,
                                            belfry_curl_source source, void *context) {
    CURLcode code = belfry_curl_only_smtp(easy);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, recipients);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, source);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    return code;
}

#endif
