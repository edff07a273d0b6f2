/* Waiting for many thousand descriptors at once, where the kernel can (Linux): epoll, which Swift's Glibc does not show. */
#ifndef BELFRY_CREADY_SHIM_H
#define BELFRY_CREADY_SHIM_H

#ifdef __linux__
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>

#define BELFRY_READY_READING 1u
#define BELFRY_READY_WRITING 2u
/* The other side sends no more, or the connection has failed. Told of whether it is asked for or not. */
#define BELFRY_READY_PARTED 4u

struct belfry_ready {
    uint64_t number;
    uint32_t what;
};

static inline int belfry_ready_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline uint32_t belfry_ready_events(uint32_t what) {
    return EPOLLRDHUP | (what & BELFRY_READY_READING ? EPOLLIN : 0) | (what & BELFRY_READY_WRITING ? EPOLLOUT : 0);
}

static inline int belfry_ready_add(int set, int descriptor, uint64_t number, uint32_t what) {
    struct epoll_event event = {.events = belfry_ready_events(what), .data = {.u64 = number}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) ? errno : 0;
}

static inline int belfry_ready_change(int set, int descriptor, uint64_t number, uint32_t what) {
    struct epoll_event event = {.events = belfry_ready_events(what), .data = {.u64 = number}};
    return epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) ? errno : 0;
}

/* At most 256 at once. Returns how many are ready, 0 when the time was over or a signal came. */
static inline int belfry_ready_wait(int set, struct belfry_ready *found, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(set, events, 256, milliseconds);
    for (int i = 0; i < count; i++) {
        found[i].number = events[i].data.u64;
        found[i].what = (events[i].events & EPOLLIN ? BELFRY_READY_READING : 0)
            | (events[i].events & EPOLLOUT ? BELFRY_READY_WRITING : 0)
            | (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? BELFRY_READY_PARTED : 0);
    }
    return count < 0 ? 0 : count;
}
#endif

#endif
