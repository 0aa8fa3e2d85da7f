/* What the library says of itself, and the way back for arrays that it handed over. */

#include "room.h"

#ifndef CUPEL_SOURCES
#define CUPEL_SOURCES ""
#endif

/* The digest of the sources that it was compiled from. */
EXPORT const char *cupel_sources(void) { return CUPEL_SOURCES; }

EXPORT void cupel_free(void *values) { free(values); }
