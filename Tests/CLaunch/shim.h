/* What Swift's module of glibc leaves out, because it does not ask for all of GNU. */
#ifndef BELFRY_CLAUNCH_SHIM_H
#define BELFRY_CLAUNCH_SHIM_H

#include <spawn.h>

#ifdef __linux__
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/* A program about to be run inherits nothing from this descriptor on. */
static inline void belfry_launch_closes(posix_spawn_file_actions_t *actions, int descriptor) {
    posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
}
#else
static inline void belfry_launch_closes(posix_spawn_file_actions_t *actions, int descriptor) {}
#endif

#endif
