/* net.cu as plain C, for the tests: the threads of a block take turns. A lane runs until
   it meets the others of its warp; what it brings is laid down, and the next lane runs.
   When its turn comes again all have brought theirs. A warp runs until it meets the
   other warps. What the tensor cores do is done here by what the PTX manual says of
   each lane's part. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define FN static inline
#define KERNEL(threads)
#define KERNEL_OF(threads, blocks)
#define UNROLL
#define UNROLL_BY_FOUR
#define SHARED_MEMORY(name) unsigned int *name = shared_memory
#define STACK (128 * 1024)
#define MOST_THREADS 1024

typedef struct __attribute__((aligned(16))) {
    unsigned int word[4];
} Four;
typedef unsigned long long Spot;

static struct { unsigned int x, y, z; } threadIdx, blockIdx, gridDim;
/* What nobody has written is not a number. */
static unsigned int shared_memory[256 * 1024 / 4] __attribute__((aligned(1024)));
static ucontext_t contexts[MOST_THREADS], outside;
static unsigned int threads, finished;

static void turn_to(unsigned int next) {
    unsigned int own = threadIdx.x;
    threadIdx.x = next;
    swapcontext(&contexts[own], &contexts[next]);
    threadIdx.x = own;
}
/* The next lane of the warp. */
static void meet(void) {
    unsigned int own = threadIdx.x;
    turn_to(own % 32 == 31 ? own - 31 : own + 1);
}
/* The next thread, of the next warp after the last lane of one. */
static void __syncthreads(void) { turn_to((threadIdx.x + 1) % threads); }

static inline Spot spot_of(const unsigned int *place) { return (Spot)place; }
static inline Four fetch(const Four *at) { return *at; }
#define __expf expf

/* A product that is due at the next meeting. */
typedef struct {
    unsigned int a[4], b[2];
    float *c;
} Product;
#define MOST_PRODUCTS 64
typedef struct {
    const unsigned int *row;
    unsigned int many;
    Product products[MOST_PRODUCTS];
} Brought;
/* Two of each: a lane may already be at the next meeting. */
static Brought brought[2][32];
static unsigned int meetings[MOST_THREADS];

static Brought *own(void) { return &brought[meetings[threadIdx.x] % 2][threadIdx.x % 32]; }
static void add_product(const Brought *all, unsigned int number);

/* All lanes meet; what they have to multiply is multiplied. */
static const Brought *bring(const unsigned int *row) {
    Brought *all = brought[meetings[threadIdx.x] % 2], *mine = own();
    mine->row = row;
    meet();
    meetings[threadIdx.x]++;
    own()->many = 0;
    for (unsigned int i = 0; i < mine->many; i++) add_product(all, i);
    return all;
}
#define MEET() bring(NULL)

/* Lane l brings row l % 8 of matrix l / 8, and takes of each matrix the word l % 4 of row
   l / 4. */
static inline void load_tile(unsigned int a[4], Spot at) {
    const Brought *all = bring((const unsigned int *)at);
    unsigned int lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++) a[i] = all[i * 8 + lane / 4].row[lane % 4];
}

static float float_of(unsigned int bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static unsigned int bits_of(float number) {
    unsigned int bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float half_of(unsigned int bits) {
    unsigned int sign = (bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400) return float_of(sign | ((rest << 13) + (112 << 23)));
    return (sign ? -1.0f : 1.0f) * (float)rest / 16777216.0f;
}
static unsigned int to_half(float number) {
    unsigned int bits = bits_of(number), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return sign | 0x7e00;
    if (rest >= 0x477ff000) return sign | 0x7c00;
    if (rest < 0x38800000) return sign | (bits_of(float_of(rest) + 0.5f) - bits_of(0.5f));
    return sign | (rest + 0xfff + (rest >> 13 & 1) - (112 << 23)) >> 13;
}
static inline float low_half(unsigned int both) { return half_of(both & 0xffff); }
static inline float high_half(unsigned int both) { return half_of(both >> 16); }
static inline unsigned int two_halves(float low, float high) {
    return to_half(high) << 16 | to_half(low);
}
static inline unsigned int nearest(float number) {
    return (bits_of(number) + 0x1000) & ~0x1fffu;
}

static inline void multiply(float c[4], const unsigned int a[4], unsigned int b0,
                            unsigned int b1) {
    Brought *mine = own();
    if (mine->many == MOST_PRODUCTS) abort();
    Product product = {{a[0], a[1], a[2], a[3]}, {b0, b1}, c};
    mine->products[mine->many++] = product;
}
/* Sixteen rows of eight words times eight columns. */
static void add_product(const Brought *all, unsigned int number) {
    unsigned int lane = threadIdx.x % 32;
    float *c = all[lane].products[number].c;
    for (unsigned int i = 0; i < 4; i++) {
        unsigned int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        float sum = 0.0f;
        for (unsigned int word = 0; word < 8; word++) {
            unsigned int left = row % 8 * 4 + word % 4, right = column * 4 + word % 4;
            unsigned int x = all[left].products[number].a[row / 8 + word / 4 * 2];
            unsigned int y = all[right].products[number].b[word / 4];
#if HALF
            sum += low_half(x) * low_half(y) + high_half(x) * high_half(y);
#else
            /* Digits that a tensor core does not see. */
            sum += float_of(x & ~0x1fffu) * float_of(y & ~0x1fffu);
#endif
        }
        c[i] += sum;
    }
}

#include NET

static void (*work)(Net);
static Net told;

static void one_thread(void) {
    unsigned int own = threadIdx.x;
    work(told);
    /* All lanes meet equally often, so they finish in turn. */
    if (++finished == threads) setcontext(&outside);
    threadIdx.x = own + 1;
    setcontext(&contexts[own + 1]);
}

static void run(void (*what)(Net), unsigned int many_threads, const unsigned int blocks[3],
                const Net *net) {
    char *stacks = malloc((size_t)many_threads * STACK);
    work = what;
    told = *net;
    threads = many_threads;
    gridDim.x = blocks[0];
    gridDim.y = blocks[1];
    gridDim.z = blocks[2];
    for (unsigned int block = 0; block < blocks[0] * blocks[1] * blocks[2]; block++) {
        blockIdx.x = block % blocks[0];
        blockIdx.y = block / blocks[0] % blocks[1];
        blockIdx.z = block / blocks[0] / blocks[1];
        memset(shared_memory, 0xff, sizeof shared_memory);
        memset(meetings, 0, sizeof meetings);
        for (int lane = 0; lane < 32; lane++) brought[0][lane].many = brought[1][lane].many = 0;
        finished = 0;
        for (unsigned int thread = 0; thread < threads; thread++) {
            ucontext_t *context = &contexts[thread];
            getcontext(context);
            context->uc_stack.ss_sp = stacks + (size_t)thread * STACK;
            context->uc_stack.ss_size = STACK;
            context->uc_link = NULL;
            makecontext(context, one_thread, 0);
        }
        threadIdx.x = 0;
        swapcontext(&outside, &contexts[0]);
    }
    free(stacks);
}

void run_evaluate(const unsigned int blocks[3], const Net *net) {
    run(evaluate, THREADS, blocks, net);
}
#if POLICY == 2
void run_through_everything(const unsigned int blocks[3], const Net *net) {
    run(through_everything, DENSE_WARPS * 32, blocks, net);
}
void run_add_up(const unsigned int blocks[3], const Net *net) {
    run(add_up, SUM_THREADS, blocks, net);
}
#endif
unsigned int shared_bytes(void) {
    return 8 * BUFFER + GRIDS * MARK_BYTES + 4 * (FILTERS + HIDDEN);
}
