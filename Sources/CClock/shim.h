/* Tells when somebody sets the machine's clock, where the kernel can (Linux). */
#ifndef BELFRY_CCLOCK_SHIM_H
#define BELFRY_CCLOCK_SHIM_H

#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>

/* A descriptor that becomes readable when the wall clock is set; -1 where there is none to be had. */
static inline int belfry_clock_watch_open(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Arms it, far away, so that nothing but a step of the clock ever ends it; 0 when it worked. */
static inline int belfry_clock_watch_arm(int descriptor) {
    struct itimerspec when = {{0, 0}, {0, 0}};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    when.it_value.tv_sec = now.tv_sec + 1000000000;
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
}

/* Whether the clock was set since the watch was armed; the watch must be armed again then. */
static inline int belfry_clock_watch_was_set(int descriptor) {
    uint64_t expirations;
    return read(descriptor, &expirations, sizeof expirations) < 0 && errno == ECANCELED;
}
#else
static inline int belfry_clock_watch_open(void) { return -1; }
static inline int belfry_clock_watch_arm(int descriptor) { (void)descriptor; return -1; }
static inline int belfry_clock_watch_was_set(int descriptor) { (void)descriptor; return 0; }
#endif

#endif
