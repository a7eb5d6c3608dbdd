/* What samegame.cu needs to be plain C, for the tests: one thread does it all. */
#include <stdbool.h>
#include <string.h>
#define FN static inline
#define KERNEL
#define UNROLL
#define ALIGNED(bytes)
#define THREAD 0
#define THREADS 1
#define __popc __builtin_popcount
static inline int __clz(unsigned int x) { return x ? __builtin_clz(x) : 32; }
static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, int by) {
    return (unsigned int)((((unsigned long long)high << 32) | low) >> by);
}
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, int by) {
    return (unsigned int)(((((unsigned long long)high << 32) | low) << by) >> 32);
}
static inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return (unsigned int)(((unsigned long long)a * b) >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline unsigned int __float_as_uint(float number) {
    unsigned int bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
#define atomicMax(at, value) do { if (*(at) < (value)) *(at) = (value); } while (0)
#define atomicMin(at, value) do { if (*(at) > (value)) *(at) = (value); } while (0)
static inline unsigned int atomicAdd(unsigned int *at, unsigned int by) {
    unsigned int before = *at;
    *at += by;
    return before;
}
static inline unsigned long long atomicExch(unsigned long long *at, unsigned long long value) {
    unsigned long long before = *at;
    *at = value;
    return before;
}
static inline unsigned long long atomicCAS(unsigned long long *at, unsigned long long is,
                                           unsigned long long value) {
    unsigned long long before = *at;
    if (before == is) *at = value;
    return before;
}
