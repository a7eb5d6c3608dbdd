// A whole network in one go.
//
// A block of threads has some boards in the memory it shares, all channels of a cell
// in one row, the cells in the order of frame.rs: column by column with empty cells
// around, so that a neighbour is always at the same distance and nought where there
// is none. There are two such buffers; each convolution reads one and writes the
// other, and what a block of a residual network adds lies where the sum goes.
//
// A convolution is a product of matrices: cells times weights, for every neighbour
// and channel. A warp computes MT tiles of sixteen cells and NT of eight channels.
// Weights come in the order in which lanes want them (arrange.rs).
//
// In half precision a word is two numbers. Otherwise a word is one, and each product
// of full precision is made of three of TF32: numbers are split into what TF32 can
// say and the rest.
//
// Set from outside: HALF; WIDTH and HEIGHT of the grid and the BORDER that is not
// board; PLANES, MARKS, MARK_BYTES of the input; CHANNELS of a row, FILTERS of a
// convolution, PLANE_STEPS and FILTER_STEPS to go through them; GRIDS of a block,
// WARPS, SPLITS of the channels among them, MT, NT, BLOCKS of a multiprocessor, AHEAD
// (whether weights are loaded a step ahead); ELU (or else ReLU), RESIDUAL;
// POLICY (0 none, 1 a number a cell, 2 through everything), VALUE, CLEAR, HIDDEN; for
// the policy through everything INNER cells of the last convolution, its MARGIN, and
// PARTS, PART_GROUPS, OUTPUTS.

typedef unsigned int u32;
typedef unsigned char u8;
typedef unsigned short u16;

#define THREADS (WARPS * 32)
#define STRIDE (HEIGHT + 1)
#define STEP ((WIDTH + 1) * STRIDE)
#define FIRST (STRIDE + 1)
#define STRETCH (GRIDS * STEP - STRIDE - 1)
// Those that the warps compute, and their neighbours.
#define ROWS (FIRST + WARPS / SPLITS * MT * 16 + FIRST)
#define BOARD_HEIGHT (HEIGHT - 2 * BORDER)
#define CELLS ((WIDTH - 2 * BORDER) * BOARD_HEIGHT)

#define PER_WORD (HALF ? 2 : 1)
#define PER_CHUNK (4 * PER_WORD)
#define ROW (CHANNELS / PER_WORD)
#define CHUNKS (ROW / 4)
#define BUFFER (ROWS * ROW)
#define POWER_OF_TWO ((CHUNKS & (CHUNKS - 1)) == 0)
// How many 16-byte loads bring the weights of a step of NT tiles.
#define LOADS (HALF ? NT / 2 : NT)
#define SHARES (FILTERS / 8 / NT)

// The largest power of two up to 8 that divides the chunks of a row.
#define LOW (CHUNKS % 8 == 0 ? 8 : CHUNKS % 4 == 0 ? 4 : CHUNKS % 2 == 0 ? 2 : 1)

// A convolution. The same in machine.rs.
typedef struct {
    u32 weights;  // where they begin, in Fours
    u32 bias;     // where it begins among the numbers
    u32 taps;     // neighbours: 9 or 1
    u32 residual; // whether what is there is added
    u32 margin;   // distance of the result from the rim of the grid
} Convolution;

// A network at work. The same in machine.rs.
typedef struct {
    const Four *weights;
    const float *numbers;
    const Convolution *convolutions;
    const Four *marks; // MARK_BYTES a position
    float *policy;     // CELLS a position
    float *value, *clear;
    Four *features;    // for a policy through everything: what it is given
    float *partial;    // and sums of parts
    u32 many_convolutions, positions;
    u32 policy_weights, policy_bias; // among the weights or the numbers
    u32 value_head, clear_head;      // among the numbers
} Net;

// Sixteen bytes of a row change places with others, so that eight rows in turn lie in
// different banks of memory.
FN u32 turn(u32 row) { return row / (8 / LOW) % LOW; }
FN u32 place(u32 row, u32 chunk) { return row * ROW + ((chunk ^ turn(row)) << 2); }

// Four words of a row that begins there, for tiles.
FN Spot chunk_of(Spot row, u32 chunk) {
#if POWER_OF_TWO
    return row ^ (chunk << 4); // rows begin at multiples of their length
#else
    return row + (chunk << 4);
#endif
}

FN u32 row_of(u32 grid, u32 cell) {
    u32 x = cell / BOARD_HEIGHT + BORDER, y = cell % BOARD_HEIGHT + BORDER;
    return FIRST + grid * STEP + x * STRIDE + y;
}

// Whether a row, counted from the first, is a cell that far from the rim.
FN bool is_inside(u32 row, u32 margin) {
    u32 within = row % STEP, x = within / STRIDE, y = within % STRIDE;
    return x >= margin && x + margin < WIDTH && y >= margin && y + margin < HEIGHT;
}

FN float bits_as_float(u32 bits) {
    union { u32 bits; float number; } both;
    both.bits = bits;
    return both.number;
}
FN u32 float_as_bits(float number) {
    union { u32 bits; float number; } both;
    both.number = number;
    return both.bits;
}

// Adds the products of sixteen rows with the weights of NT tiles.
FN void multiply_all(float sums[NT][4], const u32 a[4], const Four weights[LOADS]) {
#if HALF
    UNROLL for (u32 n = 0; n < NT; n++)
        multiply(sums[n], a, weights[n / 2].word[n % 2 * 2], weights[n / 2].word[n % 2 * 2 + 1]);
#else
    u32 most[4], rest[4];
    UNROLL for (u32 i = 0; i < 4; i++) {
        most[i] = nearest(bits_as_float(a[i]));
        rest[i] = nearest(bits_as_float(a[i]) - bits_as_float(most[i]));
    }
    UNROLL for (u32 n = 0; n < NT; n++) {
        const u32 *b = weights[n].word;
        multiply(sums[n], rest, b[0], b[1]);
        multiply(sums[n], most, b[2], b[3]);
        multiply(sums[n], most, b[0], b[1]);
    }
#endif
}

// Two neighbouring channels.
FN void read_pair(const u32 *at, float *x, float *y) {
#if HALF
    *x = low_half(*at);
    *y = high_half(*at);
#else
    *x = bits_as_float(at[0]);
    *y = bits_as_float(at[1]);
#endif
}

// Two channels as they are written: through the function, and nothing outside.
FN void finish_pair(u32 *at, float x, float y, u32 mask, const bool residual) {
    if (residual) {
        float other_x, other_y;
        read_pair(at, &other_x, &other_y);
        x += other_x;
        y += other_y;
    }
#if ELU
    x = x > 0.0f ? x : __expf(x) - 1.0f;
    y = y > 0.0f ? y : __expf(y) - 1.0f;
#else
    x = x > 0.0f ? x : 0.0f;
    y = y > 0.0f ? y : 0.0f;
#endif
#if HALF
    *at = two_halves(x, y) & mask;
#else
    at[0] = float_as_bits(x) & mask;
    at[1] = float_as_bits(y) & mask;
#endif
}

// Which of a lane's cells are how far from the rim: 2 * MT bits for each margin.
FN u32 places_inside(u32 cell) {
    u32 inside = 0;
    UNROLL for (u32 i = 0; i < 2 * MT; i++)
        UNROLL for (u32 margin = 0; margin < 3; margin++)
            inside |= (u32)is_inside(cell + i * 8, margin) << (margin * 2 * MT + i);
    return inside;
}

// What was summed goes where it belongs.
FN void finish(float sums[MT][NT][4], u32 *to, u32 cell, u32 channel, u32 inside,
               const bool residual) {
    // Rows that are eight apart are turned alike.
    u32 *first = to + (FIRST + cell) * ROW + channel % PER_CHUNK / PER_WORD;
    const u32 turned = turn(FIRST + cell);
    UNROLL for (u32 n = 0; n < NT; n++) {
        u32 *at = first + (((channel + n * 8) / PER_CHUNK ^ turned) << 2);
        UNROLL for (u32 i = 0; i < 2 * MT; i++) {
            const float *pair = sums[i / 2][n] + i % 2 * 2;
            u32 mask = 0u - (inside >> i & 1u);
            if (cell + i * 8 < STRETCH)
                finish_pair(at + i * 8 * ROW, pair[0], pair[1], mask, residual);
        }
    }
}

// One convolution; `steps` go through the channels of its input.
FN void convolve(const Net *net, u32 number, const u32 *from, u32 *to, u32 inside,
                 const u32 steps) {
    const Convolution conv = net->convolutions[number];
    const u32 lane = threadIdx.x % 32, tile = threadIdx.x / 32 / SPLITS * (MT * 16);
    for (u32 share = threadIdx.x / 32 % SPLITS; share < SHARES; share += SPLITS) {
        const u32 channel = share * NT * 8 + lane % 4 * 2;
        const float *bias = net->numbers + conv.bias + channel;
        float sums[MT][NT][4];
        UNROLL for (u32 n = 0; n < NT; n++)
            UNROLL for (u32 i = 0; i < MT; i++)
                UNROLL for (u32 c = 0; c < 4; c++) sums[i][n][c] = bias[n * 8 + c % 2];
        const Four *weights =
            net->weights + conv.weights + (share * conv.taps * steps) * LOADS * 32 + lane;
        Four now[LOADS];
#if AHEAD
        Four next[LOADS];
        UNROLL for (u32 j = 0; j < LOADS; j++) now[j] = fetch(weights + j * 32);
#endif
        for (u32 tap = 0; tap < conv.taps; tap++) {
            u32 away = conv.taps == 9 ? tap / 3 * STRIDE + tap % 3 : FIRST;
            u32 row = tile + lane % 16 + away;
            // Rows of other tiles are a multiple of eight away, and turned alike.
            const Spot rows = spot_of(from + row * ROW);
            const u32 turned = turn(row) ^ (lane / 16);
            UNROLL_BY_FOUR for (u32 step = 0; step < steps; step++) {
#if AHEAD
                // Those of the next step; behind the last there are some, too.
                weights += LOADS * 32;
                UNROLL for (u32 j = 0; j < LOADS; j++) next[j] = fetch(weights + j * 32);
#else
                UNROLL for (u32 j = 0; j < LOADS; j++) now[j] = fetch(weights + j * 32);
                weights += LOADS * 32;
#endif
                const Spot at = chunk_of(rows, 2 * step ^ turned);
                UNROLL for (u32 i = 0; i < MT; i++) {
                    u32 a[4];
                    load_tile(a, at + i * 16 * ROW * 4);
                    multiply_all(sums[i], a, now);
                }
#if AHEAD
                UNROLL for (u32 j = 0; j < LOADS; j++) now[j] = next[j];
#endif
            }
        }
        MEET();
        const u32 cell = tile + lane / 4, bits = inside >> (conv.margin * 2 * MT);
#if RESIDUAL
        if (conv.residual) {
            finish(sums, to, cell, channel, bits, true);
            continue;
        }
#endif
        finish(sums, to, cell, channel, bits, false);
    }
}

// The products of a row with numbers, summed.
FN float product(const u32 *buffer, u32 row, const float *numbers) {
    float sum = 0.0f;
    for (u32 chunk = 0; chunk < FILTERS / PER_CHUNK; chunk++) {
        const Four four = *(const Four *)(buffer + place(row, chunk));
        UNROLL for (u32 i = 0; i < 4; i++) {
            const float *those = numbers + chunk * PER_CHUNK + i * PER_WORD;
#if HALF
            sum += low_half(four.word[i]) * those[0] + high_half(four.word[i]) * those[1];
#else
            sum += bits_as_float(four.word[i]) * those[0];
#endif
        }
    }
    return sum;
}

FN float number_at(const u32 *buffer, u32 row, u32 channel) {
    u32 word = buffer[place(row, channel / PER_CHUNK) + channel % PER_CHUNK / PER_WORD];
#if HALF
    return channel % 2 ? high_half(word) : low_half(word);
#else
    return bits_as_float(word);
#endif
}

#if VALUE || CLEAR
// One number of a board: the means of its channels through two linear layers.
FN void judge(const float *head, const float *means, float *hidden, float *answer) {
    if (threadIdx.x < HIDDEN) {
        float sum = head[FILTERS * HIDDEN + threadIdx.x];
        for (u32 channel = 0; channel < FILTERS; channel++)
            sum += means[channel] * head[channel * HIDDEN + threadIdx.x];
        hidden[threadIdx.x] = sum > 0.0f ? sum : 0.0f;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const float *last = head + FILTERS * HIDDEN + HIDDEN;
        float sum = last[HIDDEN];
        for (u32 i = 0; i < HIDDEN; i++) sum += hidden[i] * last[i];
        *answer = sum;
    }
    __syncthreads();
}
#endif

// What is asked of the last convolution.
FN void answer(const Net *net, const u32 *buffer, float *scratch, u32 first, u32 many) {
#if POLICY == 1
    for (u32 i = threadIdx.x; i < many * CELLS; i += THREADS) {
        float sum = product(buffer, row_of(i / CELLS, i % CELLS), net->numbers + net->policy_weights);
        net->policy[first * CELLS + i] = sum + net->numbers[net->policy_bias];
    }
#endif
#if POLICY == 2
    const u32 chunks = FILTERS / PER_CHUNK, each = INNER * chunks, inner = HEIGHT - 2 * MARGIN;
    for (u32 i = threadIdx.x; i < many * each; i += THREADS) {
        u32 cell = i % each / chunks, x = cell / inner + MARGIN, y = cell % inner + MARGIN;
        u32 row = FIRST + i / each * STEP + x * STRIDE + y;
        net->features[first * each + i] = *(const Four *)(buffer + place(row, i % chunks));
    }
#endif
#if VALUE || CLEAR
    float *means = scratch, *hidden = scratch + FILTERS;
    const u32 margin = net->convolutions[net->many_convolutions - 1].margin;
    const float share = 1.0f / ((WIDTH - 2 * margin) * (HEIGHT - 2 * margin));
    for (u32 grid = 0; grid < many; grid++) {
        for (u32 channel = threadIdx.x; channel < FILTERS; channel += THREADS) {
            float sum = 0.0f;
            for (u32 x = margin; x < WIDTH - margin; x++)
                for (u32 y = margin; y < HEIGHT - margin; y++)
                    sum += number_at(buffer, FIRST + grid * STEP + x * STRIDE + y, channel);
            means[channel] = sum * share;
        }
        __syncthreads();
#if VALUE
        judge(net->numbers + net->value_head, means, hidden, net->value + first + grid);
#endif
#if CLEAR
        judge(net->numbers + net->clear_head, means, hidden, net->clear + first + grid);
#endif
    }
#endif
}

// Evaluates positions, GRIDS of them at a time in a block.
KERNEL_OF(THREADS, BLOCKS) void evaluate(Net net) {
    SHARED_MEMORY(memory);
    u32 *buffers[2] = {memory, memory + BUFFER};
    Four *staged = (Four *)(memory + 2 * BUFFER);
    float *scratch = (float *)(memory + 2 * BUFFER + GRIDS * MARK_BYTES / 4);
    const Four nothing = {{0, 0, 0, 0}};
    const u32 inside = places_inside(threadIdx.x / 32 / SPLITS * (MT * 16) + threadIdx.x % 32 / 4);
    for (u32 i = threadIdx.x; i < BUFFER / 4; i += THREADS) ((Four *)buffers[1])[i] = nothing;
    for (u32 first = blockIdx.x * GRIDS; first < net.positions; first += gridDim.x * GRIDS) {
        u32 rest = net.positions - first, many = rest < GRIDS ? rest : GRIDS;
        const Four *marks = net.marks + (size_t)first * (MARK_BYTES / 16);
        for (u32 i = threadIdx.x; i < many * (MARK_BYTES / 16); i += THREADS) staged[i] = marks[i];
        for (u32 i = threadIdx.x; i < BUFFER / 4; i += THREADS) ((Four *)buffers[0])[i] = nothing;
        __syncthreads();
        for (u32 i = threadIdx.x; i < many * CELLS; i += THREADS) {
            const u8 *set = (const u8 *)staged + i / CELLS * MARK_BYTES + i % CELLS * MARKS;
            u32 row = row_of(i / CELLS, i % CELLS);
            for (u32 mark = 0; mark < MARKS; mark++) {
                u32 plane = set[mark];
                if (plane >= PLANES) continue;
                u32 at = place(row, plane / PER_CHUNK) * PER_WORD + plane % PER_CHUNK;
#if HALF
                ((u16 *)buffers[0])[at] = 0x3c00; // one
#else
                ((float *)buffers[0])[at] = 1.0f;
#endif
            }
        }
        __syncthreads();
        convolve(&net, 0, buffers[0], buffers[1], inside, PLANE_STEPS);
        __syncthreads();
        for (u32 number = 1; number < net.many_convolutions; number++) {
            u32 odd = number % 2;
            convolve(&net, number, memory + odd * BUFFER, memory + (1 - odd) * BUFFER,
                     inside, FILTER_STEPS);
            __syncthreads();
        }
        answer(&net, memory + net.many_convolutions % 2 * BUFFER, scratch, first, many);
        __syncthreads();
    }
}

#if POLICY == 2
// A linear layer: sixteen positions a warp, DENSE_WARPS warps a block, 8 * NT outputs,
// one part of the input. A lane takes four words of a row at once: two steps, whose
// channels are in another order than in memory; so are the weights.
KERNEL(DENSE_WARPS * 32) void through_everything(Net net) {
    const u32 lane = threadIdx.x % 32, warp = blockIdx.x * DENSE_WARPS + threadIdx.x / 32;
    const u32 part = blockIdx.y, share = blockIdx.z;
    const u32 upper = warp * 16 + lane / 4, lower = upper + 8, last = net.positions - 1;
    const u32 each = PARTS * PART_GROUPS * 4, begin = part * PART_GROUPS * 4 + lane % 4;
    const Four *x = net.features + (size_t)(upper < last ? upper : last) * each + begin;
    const Four *y = net.features + (size_t)(lower < last ? lower : last) * each + begin;
    const Four *weights = net.weights + net.policy_weights +
                          ((share * PARTS + part) * PART_GROUPS * 2) * LOADS * 32 + lane;
    float sums[NT][4];
    UNROLL for (u32 n = 0; n < NT; n++)
        UNROLL for (u32 c = 0; c < 4; c++) sums[n][c] = 0.0f;
    for (u32 group = 0; group < PART_GROUPS; group++) {
        const Four above = x[group * 4], below = y[group * 4];
        UNROLL for (u32 step = 0; step < 2; step++) {
            Four now[LOADS];
            UNROLL for (u32 j = 0; j < LOADS; j++) now[j] = fetch(weights + j * 32);
            weights += LOADS * 32;
            const u32 a[4] = {above.word[2 * step], below.word[2 * step], above.word[2 * step + 1],
                              below.word[2 * step + 1]};
            multiply_all(sums, a, now);
        }
        MEET();
    }
    UNROLL for (u32 half = 0; half < 2; half++) {
        u32 position = half ? lower : upper;
        if (position > last) continue;
        float *to = net.partial + ((size_t)part * net.positions + position) * OUTPUTS +
                    share * NT * 8 + lane % 4 * 2;
        UNROLL for (u32 n = 0; n < NT; n++) {
            to[n * 8] = sums[n][2 * half];
            to[n * 8 + 1] = sums[n][2 * half + 1];
        }
    }
}

// The parts of the linear layer added up, always in the same order.
KERNEL(SUM_THREADS) void add_up(Net net) {
    u32 from = blockIdx.x * SUM_THREADS + threadIdx.x;
    for (u32 i = from; i < net.positions * CELLS; i += gridDim.x * SUM_THREADS) {
        float sum = net.numbers[net.policy_bias + i % CELLS];
        for (u32 part = 0; part < PARTS; part++)
            sum += net.partial[((size_t)part * net.positions + i / CELLS) * OUTPUTS + i % CELLS];
        net.policy[i] = sum;
    }
}
#endif
