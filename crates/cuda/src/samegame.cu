// SameGame on a GPU: playouts, and the layers of a Monte-Carlo beam.
//
// One thread plays one game, with the whole board in its registers: two columns
// to a word, sixteen bits to a column, the lowest block in the lowest bit. The
// top bit of a column is never used (boards are up to 15 high here), so that
// carries and shifts do not run from one column into the next.
//
// Everything here does what the engine on the CPU does, draw by draw, so that
// either can check the other; and no thread needs another one but for atomic
// operations, so that a C compiler can build this for the tests (see host.h).
//
// Set from outside: WIDTH (columns) and PLANES (bits of a colour).

typedef unsigned int u32;
typedef unsigned long long u64;

#define WORDS ((WIDTH + 1) / 2)
#define LAST ((1u << PLANES) - 1)
#define TOPS 0x80008000u
#define FLOORS 0x00010001u
#define LEFT_COLUMN 0x0000ffffu

// The words of a board in memory.
#define BOARD (PLANES * WORDS)

typedef struct {
    u32 plane[PLANES][WORDS];
} Board;

// Positions in memory, each array by the same index.
typedef struct {
    u32 *boards;
    int *scores;
    u64 *blocks;  // of each colour, eight bits for each
    u64 *keys;
    u32 *parents; // the position before, by its index in the layer before
    u32 *cells;   // the move from there
} Positions;

// A layer of a beam at work. The same in layer.rs.
typedef struct {
    Positions kept, found, to; // to be expanded; what they lead to; the next layer
    u32 *slots;                // of each found its place in the tables
    u64 *claims;               // of each found: see claim_of
    u64 *table_keys;           // where equal positions meet: their key
    u64 *table_claims;         // and the best claim to it
    u32 *list;                 // the distinct ones of those found
    u32 *values;               // of each listed its best value, in the order of bits
    u64 *bests;                // of each listed the best score, in the order of bits,
                               // and the first sample that had it, turned over
    u64 *ranks;                // of each listed: the lower the better
    u32 *bins;                 // for counting ranks
    u32 *counts;               // found, listed, kept, and the place of the best
    u64 *best;                 // the best score of all, and half of its key turned over
    const int *points;         // what a group of n is worth
    const int *left;           // what n blocks left of a colour add; at 0, the bonus
    u64 seeds;                 // that of sample j is mix((seeds ^ key) + j)
    u64 prefix;                // for counting ranks: what those counted begin with
    u64 last;                  // the last rank that is kept
    double bonus;              // the part of the end that counts in a value
    u32 many_kept, many_found, many_listed;
    u32 room_found, room_kept; // what there is memory for
    u32 mask;                  // of places in the tables
    u32 samples;               // playouts from each position
    u32 shift;                 // for counting ranks: the bits below those counted
    u32 from, until;           // which of those listed are played out
    u32 last_colour;           // the colour that is played last; it is exchanged with the
                               // one whose bits are all set
    u32 second_colour;         // the one that stays while there is a third, as it is after
                               // that exchange; 0 for none
} Layer;

// ---- random numbers: wyrand, as in the core crate ----

FN u64 mix(u64 word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

#define INCREMENT 0x9E3779B97F4A7C15ull

FN u64 generator(u64 seed) { return mix(seed + INCREMENT); }

FN u64 draw(u64 *state) {
    *state += INCREMENT;
    u64 other = *state ^ 0xD6E8FEB86659FD93ull;
    return (*state * other) ^ __umul64hi(*state, other);
}

// ---- words of two columns ----

// What is one column to the right of each.
FN u32 from_right(u32 here, u32 right) { return __funnelshift_r(here, right, 16); }
// What is one column to the left of each.
FN u32 from_left(u32 left, u32 here) { return __funnelshift_l(left, here, 16); }

FN u32 occupied(const Board *board, int w) {
    u32 cells = board->plane[0][w];
    UNROLL for (u32 k = 1; k < PLANES; k++) cells |= board->plane[k][w];
    return cells;
}

// Cells of the colour that is played last: it has been exchanged with the one
// whose bits are all set.
FN u32 kept(const Board *board, int w) {
    u32 cells = board->plane[0][w];
    UNROLL for (u32 k = 1; k < PLANES; k++) cells &= board->plane[k][w];
    return cells;
}

// The cells of a group with no cell of the group to the left or below: every
// group has at least one.
FN void find_corners(const Board *board, u32 corners[WORDS]) {
    u32 right_before = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 differs_above = 0, differs_right = 0;
        UNROLL for (u32 k = 0; k < PLANES; k++) {
            u32 here = board->plane[k][w];
            u32 next = w + 1 < WORDS ? board->plane[k][w + 1] : 0;
            differs_above |= here ^ (here >> 1);
            differs_right |= here ^ from_right(here, next);
        }
        u32 cells = occupied(board, w);
        u32 above = cells & ~differs_above, right = cells & ~differs_right;
        corners[w] = (above | right) & ~((above << 1) | from_left(right_before, right));
        right_before = right;
    }
}

// The place of the set bit with `rank` set bits below it.
FN u32 select_bit(u32 word, u32 rank) {
    u32 place = 0;
    UNROLL for (int half = 16; half; half >>= 1) {
        u32 count = __popc(word & ((1u << half) - 1));
        if (rank >= count) {
            rank -= count;
            place += half;
            word >>= half;
        }
    }
    return place;
}

FN u32 count(const u32 cells[WORDS]) {
    u32 total = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) total += __popc(cells[w]);
    return total;
}

// Fills the runs of a colour in each column from the cells in `some`: all the
// way up (a carry does that), and three cells down.
FN u32 fill(u32 some, u32 colour) {
    some |= colour & ~(colour + some);
    some |= colour & (some >> 1);
    some |= colour & (colour >> 1) & (some >> 2);
    return some;
}

// A word of the group after its left neighbour: first its left column, then its
// right one, with nothing added to the left one after the right has seen it.
FN u32 grow_right(u32 left, u32 cells, u32 colour) {
    cells = fill(cells | (colour & from_left(left, cells)), colour);
    u32 more = fill(cells | (colour & (cells << 16)), colour);
    return (cells & LEFT_COLUMN) | (more & ~LEFT_COLUMN);
}

// A word after its right neighbour: first its right column.
FN u32 grow_left(u32 right, u32 cells, u32 colour) {
    cells = fill(cells | (colour & from_right(cells, right)), colour);
    u32 more = fill(cells | (colour & (cells >> 16)), colour);
    return (cells & ~LEFT_COLUMN) | (more & LEFT_COLUMN);
}

// The group of one colour that covers a cell, given in `group`: sweeps to the
// right and to the left until one changes nothing. Then nothing is missing that
// way, or up or down, and the sweep before has left nothing the other way.
FN void flood(const u32 colour[WORDS], u32 group[WORDS]) {
    UNROLL for (u32 w = 0; w < WORDS; w++)
        group[w] = grow_right(w ? group[w - 1] : 0, group[w], colour[w]);
    for (;;) {
        u32 changed = 0;
        UNROLL for (u32 w = WORDS; w-- > 0;) {
            u32 cells = grow_left(w + 1 < WORDS ? group[w + 1] : 0, group[w], colour[w]);
            changed |= cells ^ group[w];
            group[w] = cells;
        }
        if (!changed) return;
        changed = 0;
        UNROLL for (u32 w = 0; w < WORDS; w++) {
            u32 cells = grow_right(w ? group[w - 1] : 0, group[w], colour[w]);
            changed |= cells ^ group[w];
            group[w] = cells;
        }
        if (!changed) return;
    }
}

// The cells of the colour at one cell; `number` is that colour.
FN void same_colour(const Board *board, const u32 cell[WORDS], u32 colour[WORDS], u32 *number) {
    u32 bits[PLANES];
    *number = 0;
    UNROLL for (u32 k = 0; k < PLANES; k++) {
        u32 here = 0;
        UNROLL for (u32 w = 0; w < WORDS; w++) here |= board->plane[k][w] & cell[w];
        bits[k] = here ? ~0u : 0u;
        *number |= bits[k] & (1u << k);
    }
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 differs = 0;
        UNROLL for (u32 k = 0; k < PLANES; k++) differs |= board->plane[k][w] ^ bits[k];
        colour[w] = *number ? ~differs : 0;
    }
}

// Takes cells away; what is above them falls.
FN void settle(Board *board, const u32 group[WORDS]) {
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 holes = group[w];
        while (holes) {
            // Of each column the part below its lowest hole.
            u32 marked = holes | TOPS;
            u32 below = ((marked - FLOORS) & ~marked) | TOPS;
            UNROLL for (u32 k = 0; k < PLANES; k++) {
                u32 here = board->plane[k][w];
                board->plane[k][w] = (here & below) | ((here >> 1) & ~below);
            }
            holes = (holes >> 1) & ~below;
        }
    }
}

// A bit for each column that is not empty.
FN u32 columns_of(const Board *board) {
    u32 columns = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 floor = occupied(board, w) & FLOORS;
        columns |= ((floor | (floor >> 15)) & 3) << (2 * w);
    }
    return columns;
}

// Moves columns to the left until there is none empty among them.
FN void close_columns(Board *board) {
    u32 columns = columns_of(board);
    while (columns & (columns + 1)) {
        // Everything left of the first empty column stays.
        u32 stays = ~columns & (columns + 1);
        u32 empty = 31 - __clz(stays);
        stays -= 1;
        columns = (columns & stays) | ((columns >> 1) & ~stays);
        UNROLL for (u32 w = 0; w < WORDS; w++) {
            u32 keep = empty >= 2 * w + 2 ? ~0u : empty == 2 * w + 1 ? LEFT_COLUMN : 0;
            UNROLL for (u32 k = 0; k < PLANES; k++) {
                u32 here = board->plane[k][w];
                u32 next = w + 1 < WORDS ? board->plane[k][w + 1] : 0;
                board->plane[k][w] = (here & keep) | (from_right(here, next) & ~keep);
            }
        }
    }
}

FN void load(Board *board, const u32 *from) {
    UNROLL for (u32 k = 0; k < PLANES; k++)
        UNROLL for (u32 w = 0; w < WORDS; w++) board->plane[k][w] = from[k * WORDS + w];
}

FN void store(const Board *board, u32 *to) {
    UNROLL for (u32 k = 0; k < PLANES; k++)
        UNROLL for (u32 w = 0; w < WORDS; w++) to[k * WORDS + w] = board->plane[k][w];
}

// What the end of a game adds: the bonus if nothing is left, else what the
// blocks left of each colour cost. `left` is the rule's table, with the bonus
// at 0.
FN int end_points(u64 blocks, const int *left) {
    if (!blocks) return left[0];
    int points = 0;
    UNROLL for (u32 colour = 1; colour <= LAST; colour++) {
        u32 some = (u32)(blocks >> (8 * colour)) & 255;
        points += some ? left[some] : 0;
    }
    return points;
}

// Numbers in an order of bits: the larger the number the larger the bits.
FN u32 ordered(int number) { return (u32)number ^ 0x80000000u; }
FN u32 ordered_real(float number) {
    u32 bits = __float_as_uint(number);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// Cells of a colour.
FN u32 of_colour(const Board *board, u32 colour, int w) {
    u32 cells = ~0u;
    UNROLL for (u32 k = 0; k < PLANES; k++)
        cells &= colour >> k & 1 ? board->plane[k][w] : ~board->plane[k][w];
    return cells;
}

// Draws a group that may be played: of those but the colour that is played last
// and not of the second while there is a third, or else of all, every group alike.
// `cell` becomes one cell of it, `may` the corners it was drawn from. Gives 0 if
// the game is over.
FN u32 choose(const Board *board, u32 second, u64 random, u32 may[WORDS], u32 cell[WORDS]) {
    find_corners(board, may);
    u32 wanted[WORDS], any = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        wanted[w] = may[w] & ~kept(board, w);
        any |= wanted[w];
    }
    UNROLL for (u32 w = 0; w < WORDS; w++) may[w] = any ? wanted[w] : may[w];
    if (second && any) {
        any = 0;
        UNROLL for (u32 w = 0; w < WORDS; w++) {
            wanted[w] = may[w] & ~of_colour(board, second, w);
            any |= wanted[w];
        }
        UNROLL for (u32 w = 0; w < WORDS; w++) may[w] = any ? wanted[w] : may[w];
    }
    u32 before[WORDS], total = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        before[w] = total;
        total += __popc(may[w]);
    }
    u32 rank = __umulhi((u32)(random >> 32), total);
    u32 word = may[0], skipped = 0, at = 0;
    UNROLL for (u32 w = 1; w < WORDS; w++) {
        if (rank >= before[w]) {
            word = may[w];
            skipped = before[w];
            at = w;
        }
    }
    u32 bit = total ? 1u << select_bit(word, rank - skipped) : 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) cell[w] = w == at ? bit : 0;
    return total;
}

// Plays games to their ends: some samples from each of a part of the positions
// listed.
KERNEL void play_out(Layer layer) {
    u64 job = THREAD, jobs = (u64)(layer.until - layer.from) * layer.samples;
    Board board;
    int score = 0;
    u64 rng = 0, remaining = 0;
    u32 place = 0, sample = 0;
    bool fresh = true;
    UNROLL for (u32 k = 0; k < PLANES; k++)
        UNROLL for (u32 w = 0; w < WORDS; w++) board.plane[k][w] = 0;
    for (;;) {
        u32 may[WORDS], group[WORDS], colour[WORDS], number;
        u64 random = draw(&rng);
        if (!choose(&board, layer.second_colour, random, may, group)) {
            if (!fresh) {
                int end = end_points(remaining, layer.left);
                score += end;
                float value = (float)((double)score - (1.0 - layer.bonus) * (double)end);
                atomicMax(&layer.values[place], ordered_real(value));
                atomicMax(&layer.bests[place], ((u64)ordered(score) << 32) | (u32)~sample);
                job += THREADS;
            }
            if (job >= jobs) return;
            fresh = false;
            place = layer.from + (u32)(job / layer.samples);
            sample = (u32)(job % layer.samples);
            u32 at = layer.list[place];
            load(&board, layer.found.boards + (u64)at * BOARD);
            score = layer.found.scores[at];
            remaining = layer.found.blocks[at];
            rng = generator(mix((layer.seeds ^ layer.found.keys[at]) + sample));
        }
        same_colour(&board, group, colour, &number);
        flood(colour, group);
        u32 corners = 0;
        UNROLL for (u32 w = 0; w < WORDS; w++) corners += __popc(group[w] & may[w]);
        // A group with several corners was drawn for each of them.
        bool stands = corners && !__umulhi((u32)random, corners);
        UNROLL for (u32 w = 0; w < WORDS; w++) group[w] = stands ? group[w] : 0;
        u32 size = count(group);
        score += stands ? layer.points[size] : 0;
        remaining -= (u64)size << (8 * number);
        settle(&board, group);
        close_columns(&board);
    }
}

// ---- the key of a position, as the CPU makes it ----

FN u64 half_of(const u32 plane[WORDS], u32 half) {
    u32 low = 2 * half < WORDS ? plane[2 * half < WORDS ? 2 * half : 0] : 0;
    u32 high = 2 * half + 1 < WORDS ? plane[2 * half + 1 < WORDS ? 2 * half + 1 : 0] : 0;
    return ((u64)high << 32) | low;
}

FN u64 rotate(u64 word, int by) { return (word << by) | (word >> (64 - by)); }

FN u64 key_of(const Board *exchanged, u32 last_colour) {
    Board board = *exchanged;
    if (last_colour != LAST) {
        UNROLL for (u32 w = 0; w < WORDS; w++) {
            u32 last = ~0u, other = occupied(&board, w);
            UNROLL for (u32 k = 0; k < PLANES; k++) {
                last &= board.plane[k][w];
                other &= last_colour >> k & 1 ? board.plane[k][w] : ~board.plane[k][w];
            }
            UNROLL for (u32 k = 0; k < PLANES; k++)
                board.plane[k][w] ^= (last_colour ^ LAST) >> k & 1 ? last | other : 0;
        }
    }
    u64 key = 0x243F6A8885A308D3ull;
    UNROLL for (u32 k = 0; k < PLANES; k++) {
        UNROLL for (u32 half = 0; half < 4; half++) {
            u64 word = half_of(board.plane[k], half);
            u64 one = key ^ word, two = 0x9E3779B97F4A7C15ull ^ rotate(key, 29);
            key = (one * two) ^ __umul64hi(one, two) ^ rotate(word, 17);
        }
    }
    return mix(key);
}

// ---- a layer ----

// What a line to a position is worth beside others to it: more points first,
// then the order of the positions before, whatever their places in memory.
FN u64 claim_of(int score, u64 parent_key, u32 cell) {
    return ((u64)ordered(score) << 32) | (u32)(mix(parent_key + cell) >> 32);
}

// Finds what each of the positions kept leads to. A thread takes the groups that
// begin in one word of one position. What there is no room for is counted only.
KERNEL void expand(Layer layer) {
    for (u64 task = THREAD; task < (u64)layer.many_kept * WORDS; task += THREADS) {
        u32 at = (u32)(task / WORDS), here = (u32)(task % WORDS);
        Board board;
        load(&board, layer.kept.boards + (u64)at * BOARD);
        u32 corners[WORDS], mine = 0;
        find_corners(&board, corners);
        UNROLL for (u32 w = 0; w < WORDS; w++) mine |= w == here ? corners[w] : 0;
        for (; mine; mine &= mine - 1) {
            u32 cell = mine & (0u - mine), group[WORDS], colour[WORDS], number;
            UNROLL for (u32 w = 0; w < WORDS; w++) group[w] = w == here ? cell : 0;
            same_colour(&board, group, colour, &number);
            flood(colour, group);
            // The group is this corner's only if the corner is its first cell.
            u32 before = 0;
            UNROLL for (u32 w = 0; w < WORDS; w++)
                before |= w < here ? group[w] : w == here ? group[w] & (cell - 1) : 0;
            if (before) continue;
            u32 place = atomicAdd(&layer.counts[0], 1u);
            if (place >= layer.room_found) continue;
            Board next = board;
            settle(&next, group);
            close_columns(&next);
            u32 size = count(group), name = here * 32 + (31 - __clz(cell));
            int score = layer.kept.scores[at] + layer.points[size];
            u64 key = key_of(&next, layer.last_colour), claim = claim_of(score, layer.kept.keys[at], name);
            store(&next, layer.found.boards + (u64)place * BOARD);
            layer.found.scores[place] = score;
            layer.found.blocks[place] = layer.kept.blocks[at] - ((u64)size << (8 * number));
            layer.found.keys[place] = key;
            layer.found.parents[place] = at;
            layer.found.cells[place] = name;
            layer.claims[place] = claim;
            // 0 stands for an empty slot.
            u64 tag = key ? key : 1;
            u32 slot = (u32)(tag >> 32) & layer.mask;
            for (;;) {
                u64 there = atomicCAS(&layer.table_keys[slot], 0ull, tag);
                if (there == 0 || there == tag) break;
                slot = (slot + 1) & layer.mask;
            }
            layer.slots[place] = slot;
            atomicMax(&layer.table_claims[slot], claim);
        }
    }
}

// Lists the positions that won their slot, each once.
KERNEL void distinct(Layer layer) {
    for (u32 i = THREAD; i < layer.many_found; i += THREADS) {
        u32 slot = layer.slots[i];
        if (layer.table_claims[slot] != layer.claims[i]) continue;
        // Of equal claims, one.
        if (!atomicExch(&layer.table_keys[slot], 0ull)) continue;
        u32 place = atomicAdd(&layer.counts[1], 1u);
        layer.list[place] = i;
        layer.values[place] = 0;
        layer.bests[place] = 0;
    }
}

// The best score of a position listed, with half of the position's key.
FN u64 standing(const Layer *layer, u32 i) {
    u64 key = layer->found.keys[layer->list[i]];
    return (layer->bests[i] & 0xffffffff00000000ull) | (u32)~(u32)(key >> 32);
}

// Where each of those listed stands, and the best score of all. A finished game
// is not kept: it gets the last rank there is.
KERNEL void rank(Layer layer) {
    for (u32 i = THREAD; i < layer.many_listed; i += THREADS) {
        u32 at = layer.list[i];
        Board board;
        load(&board, layer.found.boards + (u64)at * BOARD);
        u32 corners[WORDS], any = 0;
        find_corners(&board, corners);
        UNROLL for (u32 w = 0; w < WORDS; w++) any |= corners[w];
        u64 value = (u64)(u32)~layer.values[i] << 32;
        layer.ranks[i] = any ? value | (u32)(layer.found.keys[at] >> 32) : ~0ull;
        u64 mine = standing(&layer, i);
        if (mine > *layer.best) atomicMax(layer.best, mine);
    }
}

// Finds the place of the best score.
KERNEL void crown(Layer layer) {
    for (u32 i = THREAD; i < layer.many_listed; i += THREADS)
        if (standing(&layer, i) == *layer.best) atomicMin(&layer.counts[3], i);
}

#define BINS 4096

// Counts ranks by the twelve bits above `shift`, of those that begin with
// `prefix`.
KERNEL void tally(Layer layer) {
    for (u32 i = THREAD; i < layer.many_listed; i += THREADS) {
        u64 mine = layer.ranks[i], above = mine >> layer.shift >> 12;
        if (above == layer.prefix && mine != ~0ull)
            atomicAdd(&layer.bins[(u32)(mine >> layer.shift) & (BINS - 1)], 1u);
    }
}

// Copies the positions whose rank is good enough to the next layer.
KERNEL void keep(Layer layer) {
    for (u32 i = THREAD; i < layer.many_listed; i += THREADS) {
        if (layer.ranks[i] > layer.last || layer.ranks[i] == ~0ull) continue;
        u32 place = atomicAdd(&layer.counts[2], 1u);
        if (place >= layer.room_kept) continue;
        u32 at = layer.list[i];
        UNROLL for (u32 j = 0; j < BOARD; j++)
            layer.to.boards[(u64)place * BOARD + j] = layer.found.boards[(u64)at * BOARD + j];
        layer.to.scores[place] = layer.found.scores[at];
        layer.to.blocks[place] = layer.found.blocks[at];
        layer.to.keys[place] = layer.found.keys[at];
        layer.to.parents[place] = layer.found.parents[at];
        layer.to.cells[place] = layer.found.cells[at];
    }
}
