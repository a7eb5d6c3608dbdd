// Games of SameGame for annealing (see anneal.cu), one a thread, that are played from any
// position of the same board.
//
// A position is what blocks are still there, sixteen bits for each column of the start:
// nothing ever moves. Where a block has fallen to is the number of those there below it.
// What that is for all blocks of a colour in a column, and the way back, is looked up
// in two tables in shared memory.
//
// Before this: samegame.cu. Set from outside: ANNEAL_THREADS.

#ifndef LANES
#define LANES 32
#define WARP 0xffffffffu
#define STEPS 128
#endif

#define COLUMNS 16
// Columns to a word of a position.
#define PAIRS (COLUMNS / 2)
#define COLOURS 8
#define NO_MARK 255u

typedef struct ALIGNED(16) {
    u32 live[PAIRS];
} Spot;

// What the plans of a launch have in common. The same in anneal.rs.
typedef struct {
    const unsigned short *cells; // of each colour in each column; of colour 0 all
    const u32 *kept;             // of each plan the colour that is kept
    const float *heats;          // of each plan the temperature, in points
    unsigned char *lines;        // of each plan the marks to begin with, in the end what
    u32 *lengths;                // it has come to
    int *worths;
    unsigned char *best_lines;   // and the best on the way
    u32 *best_lengths;
    int *best_scores;
    Spot *spots;                 // of each warp the positions before each mark and the last
    int *gains;                  // and the points there
    Spot *own_spots;             // of each lane those of its proposal, after each mark
    u32 *own_notes;              // and those marks, with the points above them
    u32 *next;                   // the plan to be taken next
    u64 *played;                 // proposals
    const int *points;           // what a group of n is worth
    const int *left;             // what n blocks left of a colour add; at 0, the bonus
    u64 seed;
    u32 plans;
    u32 rounds;
    float cooling;               // what the temperature is multiplied by in each round
    int price;                   // what each block that is left costs a plan on its way
} Annealing;

// The plan of a warp: before each mark and at the end how many blocks are there.
typedef struct {
    unsigned char marks[STEPS];
    unsigned char blocks[STEPS];
} Sheet;

// What threads of a block share: two tables, the board, the plans, and of each thread
// the columns of its game.
typedef struct {
    unsigned char packed[1 << 16]; // of a byte, behind a mask: its bits under the mask, together
    unsigned char spread[1 << 16]; // the way back
    unsigned short cells[COLOURS][COLUMNS];
    unsigned short planes[PLANES][COLUMNS]; // the bits of their colours
    unsigned char colours[COLUMNS * 16];
    Sheet sheets[ANNEAL_THREADS / LANES];
    u32 live[PAIRS][ANNEAL_THREADS];
    u32 reached[COLUMNS][ANNEAL_THREADS]; // a column of the group, and of its colour above
} Bench;

// A game that is played.
typedef struct {
    Bench *bench;
    const Annealing *annealing;
    u32 columns; // those that are not empty
    u32 blocks;
    u32 kept;
    int gain;
} Table;

FN unsigned short *column_of(const Table *table, u32 column) {
    return (unsigned short *)&table->bench->live[column / 2][threadIdx.x] + column % 2;
}

FN u32 pack(const Bench *bench, u32 cells, u32 live) {
    u32 low = live & 255, high = live >> 8;
    return bench->packed[low << 8 | (cells & 255)] |
           (u32)bench->packed[high << 8 | cells >> 8] << __popc(low);
}

FN u32 unpack(const Bench *bench, u32 cells, u32 live) {
    u32 low = live & 255, high = live >> 8;
    return bench->spread[low << 8 | (cells & 255)] |
           (u32)bench->spread[high << 8 | (cells >> __popc(low) & 255)] << 8;
}

// Fills the runs of a colour in a column from some of its cells, up and down.
FN u32 fill_runs(u32 some, u32 colour) {
    u32 turned = __brev(colour), other = __brev(some);
    some |= colour & ~(colour + some);
    other |= turned & ~(turned + other);
    return some | __brev(other);
}

// Takes the group that a block is in; gives how many blocks it had. Nothing happens
// where there is no such block, or it is alone.
FN u32 take(Table *table, u32 mark) {
    Bench *bench = table->bench;
    u32 column = mark / 16, row = mark % 16, size = 0;
    u32 live = mark == NO_MARK ? 0 : *column_of(table, column);
    bool on = live >> row & 1;
    u32 colour = bench->colours[mark];
    u32 first = column, last = column, at = column, cells = 0;
    if (on) {
        u32 whole = pack(bench, bench->cells[colour][column], live);
        cells = fill_runs(1u << __popc(live & ((1u << row) - 1)), whole);
        bench->reached[column][threadIdx.x] = whole << 16 | cells;
        size = __popc(cells);
    }
    // Sweeps to the right and to the left, until one adds nothing.
    bool right = true, added = true;
    while (on) {
        u32 side = right ? table->columns >> at >> 1 : table->columns & ((1u << at) - 1);
        u32 to = right ? at + __ffs(side) : 31 - __clz(side);
        bool known = right ? to <= last : to >= first;
        u32 both = 0;
        if (side)
            both = known ? bench->reached[to][threadIdx.x]
                         : pack(bench, bench->cells[colour][to], *column_of(table, to)) << 16;
        u32 whole = both >> 16, before = both & 0xffff;
        u32 more = cells & whole & ~before, after = before;
        if (more) {
            after = fill_runs(before | more, whole);
            bench->reached[to][threadIdx.x] = whole << 16 | after;
            size += __popc(after ^ before);
            added = true;
        }
        if (side && (known || more)) {
            at = to;
            cells = after;
            first = to < first ? to : first;
            last = to > last ? to : last;
        } else {
            on = added;
            added = false;
            right = !right;
            at = right ? first : last;
            cells = bench->reached[at][threadIdx.x] & 0xffff;
        }
    }
    if (size < 2) return 0;
    u32 among = table->columns & ((2u << last) - 1) & ~((1u << first) - 1);
    while (among) {
        u32 here = __ffs(among) - 1;
        among &= among - 1;
        unsigned short *there = column_of(table, here);
        u32 before = *there;
        u32 after = before & ~unpack(bench, bench->reached[here][threadIdx.x] & 0xffff, before);
        *there = (unsigned short)after;
        if (!after) table->columns &= ~(1u << here);
    }
    table->gain += table->annealing->points[size];
    table->blocks -= size;
    return size;
}

// Draws a group at random, of the kept colour only if there is no other; gives a block
// of it, NO_MARK if the game is over.
FN u32 any_group(const Table *table, u64 random) {
    const Bench *bench = table->bench;
    u32 here[PLANES], free = 0, of_kept = 0, free_place = 0, kept_place = 0;
    u32 left = table->columns, at = left ? __ffs(left) - 1 : 0, chance = (u32)(random >> 32);
    UNROLL for (u32 k = 0; k < PLANES; k++)
        here[k] = left ? pack(bench, bench->planes[k][at] & *column_of(table, at), *column_of(table, at)) : 0;
    while (left) {
        left &= left - 1;
        u32 next = left ? __ffs(left) - 1 : 0;
        u32 above = 0, beside = 0, some = 0, kept = ~0u;
        UNROLL for (u32 k = 0; k < PLANES; k++) {
            u32 live = *column_of(table, next);
            u32 there = left ? pack(bench, bench->planes[k][next] & live, live) : 0;
            above |= here[k] ^ (here[k] >> 1);
            beside |= here[k] ^ there;
            some |= here[k];
            kept &= table->kept >> k & 1 ? here[k] : ~here[k];
            here[k] = there;
        }
        u32 pairs = some & ~(above & beside);
        u32 others = pairs & ~kept, same = pairs & kept;
        // Each as likely as every other one so far.
        chance = chance * 2654435769u + 12345;
        if (others) {
            u32 many = __popc(others), rank;
            free += many;
            rank = __umulhi(chance, free);
            if (rank < many) free_place = at << 8 | select_bit(others, rank);
        }
        chance = chance * 2654435769u + 12345;
        if (same) {
            u32 many = __popc(same), rank;
            of_kept += many;
            rank = __umulhi(chance, of_kept);
            if (rank < many) kept_place = at << 8 | select_bit(same, rank);
        }
        at = next;
    }
    if (!free && !of_kept) return NO_MARK;
    u32 place = free ? free_place : kept_place, column = place >> 8;
    u32 cell = unpack(bench, 1u << (place & 255), *column_of(table, column));
    return column * 16 + __ffs(cell) - 1;
}

// A block in a column, both at random; one of the kept colour seldom: NO_MARK then, or
// if there is none.
FN u32 any_block(const Table *table, u64 random) {
    if (!table->columns) return NO_MARK;
    u32 columns = __popc(table->columns);
    u32 column = select_bit(table->columns, __umulhi((u32)random, columns));
    u32 live = *column_of(table, column);
    u32 row = select_bit(live, (u32)((random >> 32 & 0xffff) * __popc(live) >> 16));
    u32 mark = column * 16 + row;
    bool kept = table->bench->colours[mark] == table->kept;
    return kept && (random >> 48) % 20 ? NO_MARK : mark;
}

// The score of a game that is over.
FN int final_score(const Table *table) {
    const int *left = table->annealing->left;
    if (!table->columns) return table->gain + left[0];
    int score = table->gain;
    for (u32 colour = 1; colour < 1u << PLANES; colour++) {
        u32 some = 0;
        for (u32 at = 0; at < COLUMNS; at++)
            some += __popc(table->bench->cells[colour][at] & *column_of(table, at));
        score += some ? left[some] : 0;
    }
    return score;
}

// What a game that is over is worth on the way to better ones: as if the board were
// cleared and each block that is left had its price, where the rules say worse.
FN int final_worth(const Table *table) {
    const Annealing *annealing = table->annealing;
    int score = final_score(table);
    int lenient = table->gain + annealing->left[0] - annealing->price * (int)table->blocks;
    return lenient > score ? lenient : score;
}

FN void sit_down(Table *table, const Spot *spot, int gain, u32 blocks) {
    Spot now = *spot;
    table->columns = 0;
    UNROLL for (u32 i = 0; i < PAIRS; i++) {
        u32 live = now.live[i];
        table->bench->live[i][threadIdx.x] = live;
        table->columns |= (u32)((live & 0xffff) != 0) << (2 * i) | (u32)(live >> 16 != 0) << (2 * i + 1);
    }
    table->gain = gain;
    table->blocks = blocks;
}

FN bool is_at(const Table *table, const Spot *spot) {
    Spot now = *spot;
    u32 differs = 0;
    UNROLL for (u32 i = 0; i < PAIRS; i++) differs |= table->bench->live[i][threadIdx.x] ^ now.live[i];
    return !differs;
}

#define BYTE_OF(index) ((index) & 255)

// Fills the tables: what is in a byte under a mask, together, and the way back.
FN void set_up(Bench *bench, const Annealing *annealing) {
    for (u32 index = threadIdx.x; index < 1 << 16; index += ANNEAL_THREADS) {
        u32 mask = index >> 8, packed = 0, spread = 0, at = 0;
        for (u32 bit = 0; bit < 8; bit++) {
            if (!(mask >> bit & 1)) continue;
            packed |= (BYTE_OF(index) >> bit & 1) << at;
            spread |= (BYTE_OF(index) >> at & 1) << bit;
            at++;
        }
        bench->packed[index] = (unsigned char)packed;
        bench->spread[index] = (unsigned char)spread;
    }
    for (u32 index = threadIdx.x; index < COLOURS * COLUMNS; index += ANNEAL_THREADS)
        bench->cells[index / COLUMNS][index % COLUMNS] = annealing->cells[index];
    for (u32 column = threadIdx.x; column < COLUMNS; column += ANNEAL_THREADS)
        for (u32 k = 0; k < PLANES; k++) {
            u32 cells = 0;
            for (u32 colour = 1; colour < 1u << PLANES; colour++)
                if (colour >> k & 1) cells |= annealing->cells[colour * COLUMNS + column];
            bench->planes[k][column] = (unsigned short)cells;
        }
    for (u32 index = threadIdx.x; index < COLUMNS * 16; index += ANNEAL_THREADS) {
        u32 of = 0;
        for (u32 colour = 1; colour < COLOURS; colour++)
            if (annealing->cells[colour * COLUMNS + index / 16] >> index % 16 & 1) of = colour;
        bench->colours[index] = (unsigned char)of;
    }
    __syncthreads();
}
