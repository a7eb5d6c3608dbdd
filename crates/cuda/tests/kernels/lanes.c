/* team.cu, repair.cu, bench.cu and anneal.cu as plain C, for the tests: the lanes of one warp take turns. A lane runs
   until it meets the others; what it brings is laid down, and the next lane runs.
   When its turn comes again all have brought theirs. */
#include <math.h>
#include <stdlib.h>
#include <ucontext.h>

#define KERNEL_OF(blocks)
#define SHARED static
#define THREADS_PER_BLOCK 32
#define STACK (256 * 1024)

static struct { unsigned int x; } threadIdx;
static ucontext_t lane_contexts[32], outside;
/* Two of them: a lane may already be at the next meeting. */
static unsigned int brought[2][32];
static unsigned int meetings[32];
static int finished;

/* The next lane's turn; the last one to finish goes outside. */
static void next_turn(unsigned int lane) {
    threadIdx.x = (lane + 1) % 32;
    swapcontext(&lane_contexts[lane], &lane_contexts[threadIdx.x]);
    threadIdx.x = lane;
}

static const unsigned int *meet(unsigned int value) {
    unsigned int lane = threadIdx.x, *all = brought[meetings[lane]++ % 2];
    all[lane] = value;
    next_turn(lane);
    return all;
}

static inline float __uint_as_float(unsigned int bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline int __ffs(unsigned int x) { return __builtin_ffs((int)x); }
static inline int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
static inline int __clzll(unsigned long long x) { return x ? __builtin_clzll(x) : 64; }
static inline unsigned int __brev(unsigned int x) {
    unsigned int turned = 0;
    for (int i = 0; i < 32; i++) turned |= (x >> i & 1) << (31 - i);
    return turned;
}
#define __expf expf
static void __syncwarp(void) { meet(0); }
static unsigned int __ballot_sync(unsigned int mask, bool vote) {
    const unsigned int *all = meet(vote);
    unsigned int votes = 0;
    for (int lane = 0; lane < 32; lane++) votes |= (all[lane] & mask >> lane & 1) << lane;
    return votes;
}
/* A block is a warp here. */
#define __syncthreads __syncwarp
#define ANNEAL_THREADS 32
#define ANNEAL_KERNEL
#define BENCH(name)                \
    static Bench name##_memory[1]; \
    Bench *name = name##_memory
static bool __any_sync(unsigned int mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
static bool __all_sync(unsigned int mask, bool vote) { return __ballot_sync(mask, !vote) == 0; }
static unsigned int shuffle_bits(unsigned int value, unsigned int from) {
    return meet(value)[from % 32];
}
static float shuffle_real(float value, unsigned int from) {
    return __uint_as_float(meet(__float_as_uint(value))[from % 32]);
}
#define __shfl_sync(mask, value, from) \
    _Generic((value), float: shuffle_real, default: shuffle_bits)(value, from)
#undef atomicAdd
#define atomicAdd(at, by) \
    ({ __typeof__(*(at)) before = *(at); *(at) += (by); before; })

#include SAMEGAME
#include TEAMS_AT_PLAY
#include REPAIR
#include BENCHES
#include ANNEAL

/* What every lane does. */
static void (*work)(void *);
static void *told;

static void one_lane(void) {
    unsigned int lane = threadIdx.x;
    work(told);
    /* All lanes meet equally often, so they finish in turn. */
    finished++;
    if (finished == 32) setcontext(&outside);
    threadIdx.x = lane + 1;
    setcontext(&lane_contexts[lane + 1]);
}

static void run_lanes(void (*what)(void *), void *with) {
    char *stacks = malloc(32 * STACK);
    work = what;
    told = with;
    finished = 0;
    memset(meetings, 0, sizeof meetings);
    for (int lane = 0; lane < 32; lane++) {
        ucontext_t *context = &lane_contexts[lane];
        getcontext(context);
        context->uc_stack.ss_sp = stacks + lane * STACK;
        context->uc_stack.ss_size = STACK;
        context->uc_link = NULL;
        makecontext(context, one_lane, 0);
    }
    threadIdx.x = 0;
    swapcontext(&outside, &lane_contexts[0]);
    free(stacks);
}

static void one_repair(void *swarm) { repair(*(Swarm *)swarm); }

static void one_anneal(void *annealing) { anneal(*(Annealing *)annealing); }

/* One warp anneals all plans. */
void anneal_by_lanes(Annealing annealing) { run_lanes(one_anneal, &annealing); }

/* What the threads of a block share. */
unsigned long long bench_bytes(void) { return sizeof(Bench); }

/* Where the game along the line to begin with is written down. */
static u32 *along_choices;
static unsigned short *along_picks;

/* One warp runs all tasks. */
void repair_by_lanes(Swarm swarm) {
    /* It was played by all teams, and that of the last was kept. */
    along_choices = swarm.choices + (TEAMS - 1) * STEPS * CHOICES;
    along_picks = swarm.picks + (TEAMS - 1) * STEPS;
    run_lanes(one_repair, &swarm);
}

/* After a task without iterations: what could be chosen at a step of its line, in the
   order of cells, and which of that was. NOTHING where there was no choice. */
void choices_at(u32 step, u32 slots[CHOICES], u32 *pick) {
    u32 many = along_picks[step] >> 8, listed[CHOICES], found = 0;
    for (u32 i = 0; i < many; i++) {
        u32 known = along_choices[step * CHOICES + i], at = found;
        if (known == NOTHING) continue;
        for (; at > 0 && listed[at - 1] >> 16 > known >> 16; at--) listed[at] = listed[at - 1];
        listed[at] = known;
        found++;
    }
    u32 chosen = along_choices[step * CHOICES + (along_picks[step] & 255)];
    for (u32 i = 0; i < CHOICES; i++) {
        slots[i] = i < found ? listed[i] & 0xffff : NOTHING;
        if (i < found && listed[i] == chosen) *pick = i;
    }
}
