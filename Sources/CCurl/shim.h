/* What Belfry uses of libcurl. Its setters take any number of arguments, which Swift cannot call: here is one a type. */
#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

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

/* Tells of each socket when it is there, and when it is to be closed, which whoever is told does. */
static inline CURLcode belfry_curl_watch_sockets(CURL *easy, curl_sockopt_callback opened,
                                                 curl_closesocket_callback ended, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, ended);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return code;
}

/* Ends a connection whose other side has acknowledged nothing for so many milliseconds: what libcurl would go on using. */
static inline void belfry_curl_end_when_silent(curl_socket_t descriptor, unsigned int milliseconds) {
#ifdef TCP_USER_TIMEOUT
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#else
    (void)descriptor, (void)milliseconds;
#endif
}

/* While it is held, the system sends full packets only; what is left goes out when it is let go. */
static inline void belfry_curl_hold(curl_socket_t descriptor, int is_held) {
#ifdef TCP_CORK
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_CORK, &is_held, sizeof is_held);
#else
    (void)descriptor, (void)is_held;
#endif
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
