#include <sqlite3.h>

/* The macro is a cast, which Swift does not see: SQLite copies the bytes. */
static inline sqlite3_destructor_type belfry_sqlite_transient(void) { return SQLITE_TRANSIENT; }
