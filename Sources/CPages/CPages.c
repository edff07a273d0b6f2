/*
 * Each file of Sources/Pages, byte for byte. The compiler notes each as a dependency: a changed page is a rebuild.
 * `#embed` is read as one literal; the same 300 KiB as a Swift array took seconds of every build.
 * That no file is missing here is a test of its own.
 */
#include "CPages.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct belfry_page pages[] = {
    {"console.html", (const unsigned char[]) {
#embed "../Pages/console.html" suffix(, 0)
    }},
    {"me.html", (const unsigned char[]) {
#embed "../Pages/me.html" suffix(, 0)
    }},
    {"assets/icon.svg", (const unsigned char[]) {
#embed "../Pages/assets/icon.svg" suffix(, 0)
    }},
    {0, 0},
};

#pragma clang diagnostic pop

const struct belfry_page *belfry_pages(void) { return pages; }
