/* What Belfry uses of libpq: its headers, and what Swift cannot see of them or cannot call safely. */
#ifndef BELFRY_CPOSTGRES_SHIM_H
#define BELFRY_CPOSTGRES_SHIM_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

/* One field of an error or a notice, by the letters of libpq; NULL where the server did not say. */
static inline const char *belfry_pq_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

static inline const char *belfry_pq_state(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *belfry_pq_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *belfry_pq_detail(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
}

/* The function of the server's that said it: like the state it is in no language. */
static inline const char *belfry_pq_function(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
}

/* Waits until the connection's socket can be read, or written too, for so many milliseconds at most. Returns 1 when it is
   ready or has failed, 0 when the time was over or a signal came, -1 when there is no socket. */
static inline int belfry_pq_wait(const PGconn *connection, int for_reading, int for_writing, int milliseconds) {
    struct pollfd place = {.fd = PQsocket(connection), .events = 0, .revents = 0};
    if (place.fd < 0) return -1;
    if (for_reading) place.events |= POLLIN;
    if (for_writing) place.events |= POLLOUT;
    int count = poll(&place, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    return count;
}

#endif
