/* A call of Linux that the C library shows to Swift under no setting: one sync for many small files. */
#ifndef BELFRY_CDISK_H
#define BELFRY_CDISK_H

#if defined(__linux__)
int syncfs(int descriptor);
#endif

#endif
