/* What Belfry uses of nghttp2: the frames of HTTP/2, without sockets. */
#ifndef BELFRY_CHTTP2_SHIM_H
#define BELFRY_CHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

/* One field of a request. Its bytes are copied when the request is submitted; `is_passing` for a value that is not worth a
   place in the table of fields that both sides keep. */
static inline nghttp2_nv belfry_h2_field(const uint8_t *name, size_t name_count, const uint8_t *value, size_t value_count,
                                         int is_passing) {
    nghttp2_nv field = {(uint8_t *)name, (uint8_t *)value, name_count, value_count,
                        (uint8_t)(is_passing ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE)};
    return field;
}

/* Submits a request; its stream, or an error below 0. */
static inline int32_t belfry_h2_request(nghttp2_session *session, const nghttp2_nv *fields, size_t count,
                                        nghttp2_data_source_read_callback read, void *context) {
    nghttp2_data_provider body = {.source = {.ptr = context}, .read_callback = read};
    return nghttp2_submit_request(session, NULL, fields, count, read ? &body : NULL, context);
}

/* Gives a request up. */
static inline int belfry_h2_cancel(nghttp2_session *session, int32_t stream) {
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

/* The first thing a client says: nothing may be pushed to it. */
static inline int belfry_h2_greet(nghttp2_session *session) {
    nghttp2_settings_entry entry = {NGHTTP2_SETTINGS_ENABLE_PUSH, 0};
    return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &entry, 1);
}

static inline int belfry_h2_is_settings(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0;
}

static inline int belfry_h2_is_goaway(const nghttp2_frame *frame) { return frame->hd.type == NGHTTP2_GOAWAY; }

/* How many streams the other side takes at once. */
static inline uint32_t belfry_h2_streams_max(nghttp2_session *session) {
    return nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

#endif
