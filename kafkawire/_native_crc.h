/* CRC-32C (record batches v2) and CRC-32 (message sets v0 and v1): see _native_crc.c. */
#ifndef KAFKAWIRE_NATIVE_CRC_H
#define KAFKAWIRE_NATIVE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Builds the tables and picks the implementation; called once, when kafkawire._varint is imported. */
void kw_crc_init(void);

/* Both continue from `crc`, the value returned for the bytes before (0 at the start). */
extern uint32_t (*kw_crc32c)(uint32_t crc, const uint8_t *data, size_t size);
extern uint32_t (*kw_crc32)(uint32_t crc, const uint8_t *data, size_t size);

/* "x86 sse4.2+pclmul", "armv8 crc" or "table". */
const char *kw_crc_kind(void);

#endif
