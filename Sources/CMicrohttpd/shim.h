/* What Belfry uses of libmicrohttpd. Its variadic functions cannot be called from Swift; these call them. */
#ifndef BELFRY_CMICROHTTPD_SHIM_H
#define BELFRY_CMICROHTTPD_SHIM_H

#include <stdint.h>
#include <microhttpd.h>

/* Called with the whole request target, before it is taken apart; what it returns belongs to the request. */
typedef void *(*belfry_http_arrived)(void *context, const char *target, struct MHD_Connection *connection);

/* One daemon with a thread of its own on a socket that listens already. It answers nothing by itself but what is no
   HTTP, writes no log, and insists on the protocol (a Host in HTTP/1.1, no spaces in a target). */
static inline struct MHD_Daemon *belfry_http_start(MHD_socket listening, unsigned int connections, size_t memory,
                                                   unsigned int idle_seconds, belfry_http_arrived arrived,
                                                   MHD_AccessHandlerCallback answer,
                                                   MHD_RequestCompletedCallback completed,
                                                   MHD_NotifyConnectionCallback connection, void *context) {
    return MHD_start_daemon(
        MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, context,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, arrived, context, MHD_OPTION_NOTIFY_COMPLETED,
        completed, context, MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_END);
}

static inline MHD_socket belfry_http_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : MHD_INVALID_SOCKET;
}

/* The number that the connection was given when it began. */
static inline uintptr_t belfry_http_number(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? (uintptr_t)info->socket_context : 0;
}

/* A response with a copy of the body; NULL when there is no memory. */
static inline struct MHD_Response *belfry_http_response(const void *body, size_t count) {
    static char none[1];
    return MHD_create_response_from_buffer(count, count ? (void *)body : none, MHD_RESPMEM_MUST_COPY);
}

#endif
