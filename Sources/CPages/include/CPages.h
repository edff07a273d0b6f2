/* The files of the pages, as the compiler put them into the binary. */
#ifndef BELFRY_CPAGES_H
#define BELFRY_CPAGES_H

struct belfry_page {
    const char *path;         /* within Sources/Pages, such as "assets/app.js" */
    const unsigned char *text; /* ends with a NUL, which no file holds */
};

/* The first of them all. Behind the last stands an entry without a path. */
const struct belfry_page *belfry_pages(void);

#endif
