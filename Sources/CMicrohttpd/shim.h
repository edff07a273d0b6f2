/* What Belfry uses of libmicrohttpd. */
#ifndef BELFRY_CMICROHTTPD_SHIM_H
#define BELFRY_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
