/* What Belfry uses of libcurl. */
#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

#include <curl/curl.h>

#endif
