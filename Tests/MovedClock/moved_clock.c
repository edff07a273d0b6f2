/* Moves the wall clock of a program, and of all that it starts, by the seconds in MOVED_CLOCK_SECONDS, which may be
 * negative. `ops/test --at` loads it into the tests and so into the programs that they run (LD_PRELOAD); it is part of no
 * program of Belfry's, which know one clock: the machine's.
 *
 * The clock goes on as usual. Other clocks stay, and so whatever waits for an absolute time of the wall clock is told the
 * machine's: a timerfd of it, and locks, conditions and semaphores with a time limit. (libfaketime moves every timerfd,
 * whichever clock it is of, so that Dispatch's timers come late or never.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static time_t moved_seconds;

__attribute__((constructor)) static void read_how_far(void) {
    const char *text = getenv("MOVED_CLOCK_SECONDS");
    moved_seconds = text ? strtoll(text, NULL, 10) : 0;
}

static int is_wall_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

static struct timespec back(const struct timespec *moved) {
    struct timespec machine = *moved;
    machine.tv_sec -= moved_seconds;
    return machine;
}

/* MARK: Asking for the time */

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*_Atomic original)(clockid_t, struct timespec *);
    if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int answer = original(clock, time);
    if (answer == 0 && is_wall_clock(clock)) time->tv_sec += moved_seconds;
    return answer;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int answer = clock_gettime(CLOCK_REALTIME, &now);
    if (answer == 0) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return answer;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

/* MARK: Waiting for a time */

/* Which descriptors are timers of the wall clock: those of programs with a great many files open are not followed. */
#define FOLLOWED 65536
static atomic_uchar is_wall_timer[FOLLOWED];

int timerfd_create(int clock, int flags) {
    int descriptor = (int)syscall(SYS_timerfd_create, clock, flags);
    if (descriptor >= 0 && descriptor < FOLLOWED) is_wall_timer[descriptor] = clock == CLOCK_REALTIME;
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *wanted, struct itimerspec *before) {
    struct itimerspec machine = *wanted;
    int is_armed = wanted->it_value.tv_sec != 0 || wanted->it_value.tv_nsec != 0;
    if (is_armed && flags & TFD_TIMER_ABSTIME && descriptor >= 0 && descriptor < FOLLOWED && is_wall_timer[descriptor])
        machine.it_value = back(&wanted->it_value);
    return (int)syscall(SYS_timerfd_settime, descriptor, flags, &machine, before);
}

/* glibc keeps a condition's clock in this bit. */
static int is_monotonic(const pthread_cond_t *condition) { return condition->__data.__wrefs & 2; }

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    if (is_monotonic(condition)) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, until);
    struct timespec machine = back(until);
    return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &machine);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec machine = back(until);
    return sem_clockwait(semaphore, CLOCK_REALTIME, &machine);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    struct timespec machine = back(until);
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, &machine);
}
