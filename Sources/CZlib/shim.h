/* What Belfry uses of zlib. */
#ifndef BELFRY_CZLIB_SHIM_H
#define BELFRY_CZLIB_SHIM_H

#include <zlib.h>

#endif
