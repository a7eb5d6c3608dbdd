// What net.cu needs on a GPU: products of small matrices by its tensor cores, and
// numbers in half precision. What each lane holds is said in the PTX manual under
// ldmatrix and mma.m16n8k16 (and m16n8k8 for TF32).
#define FN __device__ __forceinline__
#define KERNEL(threads) extern "C" __global__ __launch_bounds__(threads)
#define KERNEL_OF(threads, blocks) extern "C" __global__ __launch_bounds__(threads, blocks)
#define UNROLL _Pragma("unroll")
#define UNROLL_BY_FOUR _Pragma("unroll 4")
// Where lanes of a C compiler meet; those of a warp never part.
#define MEET()
#define SHARED_MEMORY(name) extern __shared__ __align__(1024) unsigned int name[]

typedef struct __align__(16) {
    unsigned int word[4];
} Four;

// A place in the memory that the threads of a block share.
typedef unsigned int Spot;
FN Spot spot_of(const unsigned int *place) {
    return (Spot)__cvta_generic_to_shared(place);
}

// Sixteen rows of eight words. Each lane names the beginning of four words, and gets
// of each quarter of the lanes' words those at its own place.
FN void load_tile(unsigned int a[4], Spot at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(at));
}

// Weights, which nobody writes.
FN Four fetch(const Four *at) {
    Four four;
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.word[0]), "=r"(four.word[1]), "=r"(four.word[2]), "=r"(four.word[3])
                 : "l"(at));
    return four;
}

#if HALF
FN void multiply(float c[4], const unsigned int a[4], unsigned int b0, unsigned int b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#else
FN void multiply(float c[4], const unsigned int a[4], unsigned int b0, unsigned int b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

// The nearest number that a tensor core takes.
FN unsigned int nearest(float number) {
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(number));
    return bits;
}

// Two numbers in half precision.
FN unsigned int two_halves(float low, float high) {
    unsigned int both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
FN float low_half(unsigned int both) {
    float number;
    asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }"
        : "=f"(number)
        : "r"(both));
    return number;
}
FN float high_half(unsigned int both) {
    float number;
    asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }"
        : "=f"(number)
        : "r"(both));
    return number;
}
