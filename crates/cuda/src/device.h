// What samegame.cu needs on a GPU.
#define FN __device__ __forceinline__
#define KERNEL extern "C" __global__ __launch_bounds__(THREADS_PER_BLOCK)
#define KERNEL_OF(blocks) extern "C" __global__ __launch_bounds__(THREADS_PER_BLOCK, blocks)
#define SHARED __shared__
#define ALIGNED(bytes) __align__(bytes)
#define UNROLL _Pragma("unroll")
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)
#define ANNEAL_KERNEL extern "C" __global__ __launch_bounds__(ANNEAL_THREADS)
// The memory that a block is given when it is started, as something of this kind.
#define BENCH(name) extern __shared__ Bench name##_memory[]; Bench *name = name##_memory
