/* CRC-32C and CRC-32, with the processor's instructions where it has them.
 *
 * Both are reflected CRCs: bit 31 of a value is the coefficient of x^0. Multiplying a value by x^n modulo the polynomial
 * moves it over n bits of zeros; all constants below are such powers, computed at start from the polynomial alone.
 *
 *   x86    CRC-32C: three independent crc32 chains over neighbouring blocks (the instruction has a latency of three
 *          cycles and a throughput of one), joined by one carry-less multiplication for each chain.
 *          CRC-32: folds 64 bytes at a time by carry-less multiplication (Gopal et al., "Fast CRC Computation for
 *          Generic Polynomials Using PCLMULQDQ", Intel 2009).
 *   ARMv8  the crc32 instructions.
 *   else   slicing by eight bytes with tables; also where KAFKAWIRE_CRC=table is in the environment, which is how
 *          the tests reach it on any processor.
 */
#include "_native_crc.h"

#include <stdlib.h>
#include <string.h>

#define POLY_CRC32C 0x82F63B78u
#define POLY_CRC32 0xEDB88320u

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KW_X86 1
#define KW_TARGET __attribute__((target("sse4.2,pclmul")))
#include <immintrin.h>
#elif defined(_M_X64) && defined(_MSC_VER)
#define KW_X86 1
#define KW_TARGET
#include <intrin.h>
#include <immintrin.h>
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#define KW_ARM 1
#if defined(__clang__)
#define KW_TARGET __attribute__((target("crc")))
#else
#define KW_TARGET __attribute__((target("+crc")))
#endif
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

static uint32_t table_crc32c[8][256];
static uint32_t table_crc32[8][256];
static const char *kind = "table";

static uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* ---- tables ---- */

static void fill_tables(uint32_t table[8][256], uint32_t poly)
{
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (poly & (0u - (crc & 1)));
        table[0][n] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int n = 0; n < 256; n++)
            table[k][n] = (table[k - 1][n] >> 8) ^ table[0][table[k - 1][n] & 0xFF];
}

/* Without the inversions at both ends; bytes are taken one by one from the words, so any byte order works. */
static uint32_t sliced(uint32_t table[8][256], uint32_t crc, const uint8_t *p, size_t size)
{
    while (size >= 8) {
        crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        crc = table[7][crc & 0xFF] ^ table[6][(crc >> 8) & 0xFF] ^ table[5][(crc >> 16) & 0xFF] ^ table[4][crc >> 24]
            ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
        p += 8;
        size -= 8;
    }
    while (size--)
        crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
    return crc;
}

static uint32_t crc32c_table(uint32_t crc, const uint8_t *data, size_t size)
{
    return ~sliced(table_crc32c, ~crc, data, size);
}

static uint32_t crc32_table(uint32_t crc, const uint8_t *data, size_t size)
{
    return ~sliced(table_crc32, ~crc, data, size);
}

/* ---- powers of x ---- */

#if defined(KW_X86)
/* a * b modulo the polynomial, all reflected. */
static uint32_t multiply(uint32_t poly, uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = (b >> 1) ^ (poly & (0u - (b & 1)));
    }
    return product;
}

/* x^n modulo the polynomial, reflected. */
static uint32_t power(uint32_t poly, uint32_t n)
{
    uint32_t result = 0x80000000u; /* x^0 */
    uint32_t square = 0x40000000u; /* x^1 */
    for (; n; n >>= 1) {
        if (n & 1)
            result = multiply(poly, result, square);
        square = multiply(poly, square, square);
    }
    return result;
}
#endif

/* ---- x86 ---- */

#if defined(KW_X86)
#define LONG_BLOCK 2048
#define SHORT_BLOCK 256

/* x^(8n - 33): a carry-less product of two reflected 32-bit values stands one bit off, and the crc32 instruction that
 * reduces it multiplies by x^32. */
static uint32_t shift_long1, shift_long2, shift_short1, shift_short2;
/* x^(bits + 64 - 33) and x^(bits - 33) for the two halves of a 128-bit lane that moves by `bits`. */
static uint32_t fold512_low, fold512_high, fold128_low, fold128_high;

KW_TARGET static inline uint64_t shifted(uint32_t crc, uint32_t by)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)crc), _mm_cvtsi32_si128((int)by), 0));
}

KW_TARGET static inline const uint8_t *three_chains(uint64_t *crc, const uint8_t *p, size_t *size, size_t block,
                                                    uint32_t by1, uint32_t by2)
{
    while (*size >= 3 * block) {
        uint64_t a = *crc, b = 0, c = 0;
        const uint8_t *end = p + block;
        do {
            a = _mm_crc32_u64(a, load64(p));
            b = _mm_crc32_u64(b, load64(p + block));
            c = _mm_crc32_u64(c, load64(p + 2 * block));
            p += 8;
        } while (p < end);
        *crc = c ^ _mm_crc32_u64(0, shifted((uint32_t)a, by2) ^ shifted((uint32_t)b, by1));
        p += 2 * block;
        *size -= 3 * block;
    }
    return p;
}

KW_TARGET static uint32_t crc32c_x86(uint32_t start, const uint8_t *p, size_t size)
{
    uint64_t crc = (uint32_t)~start;
    p = three_chains(&crc, p, &size, LONG_BLOCK, shift_long1, shift_long2);
    p = three_chains(&crc, p, &size, SHORT_BLOCK, shift_short1, shift_short2);
    for (; size >= 8; size -= 8, p += 8)
        crc = _mm_crc32_u64(crc, load64(p));
    while (size--)
        crc = _mm_crc32_u8((uint32_t)crc, *p++);
    return ~(uint32_t)crc;
}

KW_TARGET static inline __m128i fold(__m128i lane, __m128i by, __m128i next)
{
    return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(lane, by, 0x00), _mm_clmulepi64_si128(lane, by, 0x11)));
}

#define LOAD128(p) _mm_loadu_si128((const __m128i *)(const void *)(p))

KW_TARGET static uint32_t crc32_x86(uint32_t start, const uint8_t *p, size_t size)
{
    uint32_t crc = ~start;
    if (size >= 64) {
        const __m128i by512 = _mm_set_epi64x((long long)fold512_high, (long long)fold512_low);
        const __m128i by128 = _mm_set_epi64x((long long)fold128_high, (long long)fold128_low);
        __m128i l0 = _mm_xor_si128(LOAD128(p), _mm_cvtsi32_si128((int)crc));
        __m128i l1 = LOAD128(p + 16), l2 = LOAD128(p + 32), l3 = LOAD128(p + 48);
        uint8_t last[16];
        for (p += 64, size -= 64; size >= 64; p += 64, size -= 64) {
            l0 = fold(l0, by512, LOAD128(p));
            l1 = fold(l1, by512, LOAD128(p + 16));
            l2 = fold(l2, by512, LOAD128(p + 32));
            l3 = fold(l3, by512, LOAD128(p + 48));
        }
        l1 = fold(l0, by128, l1);
        l2 = fold(l1, by128, l2);
        l3 = fold(l2, by128, l3);
        _mm_storeu_si128((__m128i *)(void *)last, l3);
        crc = sliced(table_crc32, 0, last, 16);
    }
    return ~sliced(table_crc32, crc, p, size);
}

static int x86_has_both(void)
{
#if defined(_MSC_VER)
    int info[4];
    __cpuid(info, 1);
    return (info[2] >> 20 & 1) && (info[2] >> 1 & 1);
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
#endif
}
#endif

/* ---- ARMv8 ---- */

#if defined(KW_ARM)
KW_TARGET static uint32_t crc32c_arm(uint32_t start, const uint8_t *p, size_t size)
{
    uint32_t crc = ~start;
    for (; size >= 8; size -= 8, p += 8)
        crc = __crc32cd(crc, load64(p));
    while (size--)
        crc = __crc32cb(crc, *p++);
    return ~crc;
}

KW_TARGET static uint32_t crc32_arm(uint32_t start, const uint8_t *p, size_t size)
{
    uint32_t crc = ~start;
    for (; size >= 8; size -= 8, p += 8)
        crc = __crc32d(crc, load64(p));
    while (size--)
        crc = __crc32b(crc, *p++);
    return ~crc;
}

static int arm_has_crc(void)
{
#if defined(__APPLE__) || defined(__ARM_FEATURE_CRC32)
    return 1;
#elif defined(__linux__)
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; /* HWCAP_CRC32 */
#else
    return 0;
#endif
}
#endif

/* ---- choice ---- */

uint32_t (*kw_crc32c)(uint32_t crc, const uint8_t *data, size_t size) = crc32c_table;
uint32_t (*kw_crc32)(uint32_t crc, const uint8_t *data, size_t size) = crc32_table;

void kw_crc_init(void)
{
    fill_tables(table_crc32c, POLY_CRC32C);
    fill_tables(table_crc32, POLY_CRC32);
    const char *asked = getenv("KAFKAWIRE_CRC");
    if (asked != NULL && strcmp(asked, "table") == 0)
        return;
#if defined(KW_X86)
    if (x86_has_both()) {
        shift_long1 = power(POLY_CRC32C, 8 * LONG_BLOCK - 33);
        shift_long2 = power(POLY_CRC32C, 16 * LONG_BLOCK - 33);
        shift_short1 = power(POLY_CRC32C, 8 * SHORT_BLOCK - 33);
        shift_short2 = power(POLY_CRC32C, 16 * SHORT_BLOCK - 33);
        fold512_low = power(POLY_CRC32, 512 + 64 - 33);
        fold512_high = power(POLY_CRC32, 512 - 33);
        fold128_low = power(POLY_CRC32, 128 + 64 - 33);
        fold128_high = power(POLY_CRC32, 128 - 33);
        kw_crc32c = crc32c_x86;
        kw_crc32 = crc32_x86;
        kind = "x86 sse4.2+pclmul";
    }
#elif defined(KW_ARM)
    if (arm_has_crc()) {
        kw_crc32c = crc32c_arm;
        kw_crc32 = crc32_arm;
        kind = "armv8 crc";
    }
#endif
}

const char *kw_crc_kind(void)
{
    return kind;
}
