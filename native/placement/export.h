/* What Python may call. */
#ifndef SHOAL_EXPORT_H
#define SHOAL_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
