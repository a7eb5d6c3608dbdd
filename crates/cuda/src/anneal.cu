// Simulated annealing over plans, thousands side by side.
//
// A plan is a list of marks. A mark is a block of the starting position, and to follow
// it is to take the group that this block is in by now; where there is none it is
// passed over. What is left when the plan is at its end is played at random, and what
// was played is the new plan. (See the search `anneal` and its plans of SameGame, of
// which this is the same for a machine with thousands of threads.)
//
// A warp has a plan of its own, and each of its lanes a proposal to change it, all of
// them near one place, so that all have about as much to play. One of those that the
// temperature accepts becomes the plan, rather one that changes the game than one that
// changes nothing but an order.
//
// A position is what blocks are still there, sixteen bits for each column of the start:
// nothing ever moves. Where a block has fallen to is the number of those there below it.
// What that is for all blocks of a colour in a column, and the way back, is looked up
// in two tables in shared memory.
//
// S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by Simulated Annealing",
// Science 220, 1983.
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
// Tries to find a group to insert.
#define TRIES 6
// Proposals of a round begin within so many marks of each other.
#define APART 4
// Lanes that take what comes, though it be nothing but another order of marks.
#define KEEPERS 6

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
    int *scores;
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

// A plan of a warp, with the positions before each mark.
typedef struct {
    Sheet *sheet;
    Spot *spots;
    int *gains;
    u32 length;
    int score;
} Plan;

// What a lane would change: the marks from `from` on are followed, but for the one at
// `without`, with `mark` before the one at `before`; or with any group first. From the
// mark at `settled` on the game may come back to that of the plan.
typedef struct {
    u32 from, without, before, mark, settled;
    bool stray;
} Change;

// What comes of it.
typedef struct {
    Spot *spots;
    u32 *notes;
    u32 from, many;
    u32 meets; // where it comes back to the plan's position before that mark; or NO_MARK
    int score;
    bool done;
} Proposal;

#define MARK_IN(note) ((note) & 255)
#define GAIN_IN(note) ((int)(note) >> 8)

FN void note(const Table *table, Proposal *proposal, u32 mark) {
    Spot now;
    if (proposal->many + proposal->from >= STEPS - 1) return;
    UNROLL for (u32 i = 0; i < PAIRS; i++) now.live[i] = table->bench->live[i][threadIdx.x];
    proposal->spots[proposal->many] = now;
    proposal->notes[proposal->many] = (u32)table->gain << 8 | mark;
    proposal->many++;
}

// A change near a mark of the plan.
FN Change some_change(const Plan *plan, u32 near_mark, u64 random) {
    u32 kind = (u32)(random & 0xffff) * 100 >> 16;
    u32 at = near_mark + (u32)(random >> 16 & 0xffff) % APART;
    if (at >= plan->length) at = plan->length - 1;
    Change change = {at, NO_MARK, NO_MARK, NO_MARK, at, true};
    if (kind < 60 || plan->length < 3) return change;
    change.stray = false;
    change.without = at;
    change.settled = at + 1;
    if (kind >= 90) return change;
    u32 far = (random >> 32 & 3) ? 8 : plan->length;
    u32 by = 1 + (u32)(random >> 34 & 0xffff) % far;
    bool later = random >> 50 & 1;
    u32 to = later ? at + by : at - (by < at ? by : at);
    if (to >= plan->length) to = plan->length - 1;
    change.mark = plan->sheet->marks[at];
    change.before = later ? to + 1 : to;
    change.from = later ? at : to;
    change.settled = later ? to + 1 : at + 1;
    return change;
}

#define BEGINS 0
#define STRAYS 1
#define FOLLOWS 2
#define FINISHES 3
#define OVER 4

// Plays what a lane would change, until the game meets the plan or is over. All lanes go
// on together, a move each. A lane whose change comes to nothing may try another one near
// a mark, in the first moves.
FN void play_change(Table *table, const Plan *plan, Change change, Proposal *proposal,
                    u32 near_mark, u32 patience, u64 *rng) {
    u32 at = 0, stage = BEGINS, tries = TRIES;
    for (u32 moves = 0;; moves++) {
        if (stage == BEGINS) {
            at = change.from;
            stage = change.stray ? STRAYS : FOLLOWS;
            tries = TRIES;
            proposal->from = at;
            proposal->many = 0;
            proposal->meets = NO_MARK;
            proposal->done = true;
            sit_down(table, &plan->spots[at], plan->gains[at], plan->sheet->blocks[at]);
        }
        bool all_finish = !__any_sync(WARP, stage < FINISHES);
        u32 next = NO_MARK;
        if (stage == STRAYS) {
            next = any_block(table, draw(rng));
        } else if (stage == FOLLOWS) {
            if (at == change.before) {
                next = change.mark;
                change.before = NO_MARK;
            } else if (at >= change.settled && table->blocks == plan->sheet->blocks[at] &&
                       is_at(table, &plan->spots[at])) {
                proposal->meets = at;
                proposal->score = plan->score + table->gain - plan->gains[at];
                stage = OVER;
                if (proposal->score == plan->score && moves < patience) {
                    change = some_change(plan, near_mark, draw(rng));
                    stage = BEGINS;
                }
            } else if (at >= plan->length) {
                stage = FINISHES;
            } else {
                next = at == change.without ? NO_MARK : plan->sheet->marks[at];
                at++;
            }
        } else if (stage == FINISHES && all_finish) {
            next = any_group(table, draw(rng));
            if (next == NO_MARK) {
                proposal->score = final_score(table);
                stage = OVER;
            }
        }
        u32 size = take(table, next);
        if (size) note(table, proposal, next);
        if (stage == STRAYS) {
            if (size) {
                stage = FOLLOWS;
            } else if (!--tries) {
                proposal->done = false;
                stage = OVER;
            }
        }
        if (__all_sync(WARP, stage == OVER)) return;
    }
}

// The plan becomes what a lane has proposed.
FN void adopt(Plan *plan, const Proposal *own, u32 who) {
    u32 lane = threadIdx.x % LANES;
    u32 from = __shfl_sync(WARP, own->from, who), many = __shfl_sync(WARP, own->many, who);
    u32 meets = __shfl_sync(WARP, own->meets, who);
    int score = (int)__shfl_sync(WARP, (u32)own->score, who);
    long long apart = ((long long)who - lane) * STEPS;
    Spot *spots = own->spots + apart;
    u32 *notes = own->notes + apart;
    u32 length = from + many;
    if (meets != NO_MARK) {
        u32 rest = plan->length - meets;
        int more = score - plan->score;
        if (length + rest > STEPS - 1) return;
        if (length != meets || more) {
            for (u32 i = lane; i < rest; i += LANES) {
                spots[many + i] = plan->spots[meets + i + 1];
                notes[many + i] = (u32)(plan->gains[meets + i + 1] + more) << 8 |
                                  plan->sheet->marks[meets + i];
            }
            many += rest;
        }
        length += rest;
    }
    __syncwarp();
    for (u32 i = lane; i < many; i += LANES) {
        Spot spot = spots[i];
        u32 known = notes[i], blocks = 0;
        UNROLL for (u32 j = 0; j < PAIRS; j++) blocks += __popc(spot.live[j]);
        plan->spots[from + i + 1] = spot;
        plan->gains[from + i + 1] = GAIN_IN(known);
        plan->sheet->marks[from + i] = (unsigned char)MARK_IN(known);
        plan->sheet->blocks[from + i + 1] = (unsigned char)blocks;
    }
    plan->length = length;
    plan->score = score;
    __syncwarp();
}

// The lane whose proposal came to most, the first of equals.
FN u32 best_lane(const Proposal *own) {
    u32 who = 0;
    int most = (int)__shfl_sync(WARP, (u32)own->score, 0);
    for (u32 other = 1; other < LANES; other++) {
        int score = (int)__shfl_sync(WARP, (u32)own->score, other);
        if (score > most) {
            most = score;
            who = other;
        }
    }
    return who;
}

// One of the lanes whose proposals are accepted at a temperature, rather one that changes
// the game than one that changes an order only; LANES if there is none.
FN u32 accepted_lane(const Plan *plan, const Proposal *own, float heat, u32 random, u64 *rng) {
    int more = own->score - plan->score;
    u32 chance = (u32)(draw(rng) >> 40);
    bool accepted =
        own->done && (more >= 0 || (float)chance < 16777216.0f * __expf((float)more / heat));
    u32 votes = __ballot_sync(WARP, accepted && (own->meets == NO_MARK || more != 0));
    if (!votes) votes = __ballot_sync(WARP, accepted);
    return votes ? select_bit(votes, __umulhi(random, __popc(votes))) : LANES;
}

// Anneals the plan of a warp. In the first round every lane plays what there is to begin
// with, and the best of that is the plan.
FN void anneal_plan(Table *table, Plan *plan, Proposal *own, u32 task, u64 *rng, u64 *played) {
    const Annealing *annealing = table->annealing;
    u32 lane = threadIdx.x % LANES;
    u64 common = generator(mix(annealing->seed ^ 0x5EEDull) + task);
    unsigned char *best = annealing->best_lines + (u64)task * STEPS;
    int highest = -2147483647;
    float heat = annealing->heats[task];
    for (u32 round = 0; round <= annealing->rounds; round++) {
        u64 random = draw(&common);
        u32 near_mark = __umulhi((u32)random, plan->length);
        // Some lanes keep what changes nothing but an order.
        u32 patience = lane < KEEPERS ? 0 : (plan->length - near_mark) / 3 + 2;
        Change change = {0, NO_MARK, NO_MARK, NO_MARK, ~0u, false};
        if (round) change = some_change(plan, near_mark, draw(rng));
        play_change(table, plan, change, own, near_mark, patience, rng);
        u32 who;
        if (round) {
            who = accepted_lane(plan, own, heat, (u32)(random >> 32), rng);
            *played += __popc(__ballot_sync(WARP, own->done));
            heat *= annealing->cooling;
        } else {
            who = best_lane(own);
        }
        if (who < LANES) adopt(plan, own, who);
        if (plan->score > highest || !round) {
            highest = plan->score;
            for (u32 i = lane; i < plan->length; i += LANES) best[i] = plan->sheet->marks[i];
            if (lane == 0) {
                annealing->best_scores[task] = highest;
                annealing->best_lengths[task] = plan->length;
            }
        }
        if (!plan->length) break;
    }
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

ANNEAL_KERNEL void anneal(Annealing annealing) {
    BENCH(bench);
    set_up(bench, &annealing);
    u32 warp = THREAD / LANES, lane = threadIdx.x % LANES;
    u64 mine = (u64)warp * LANES + lane, played = 0;
    Table table;
    table.bench = bench;
    table.annealing = &annealing;
    Plan plan;
    plan.sheet = &bench->sheets[threadIdx.x / LANES];
    plan.spots = annealing.spots + (u64)warp * STEPS;
    plan.gains = annealing.gains + (u64)warp * STEPS;
    Proposal own;
    own.score = 0;
    own.spots = annealing.own_spots + mine * STEPS;
    own.notes = annealing.own_notes + mine * STEPS;
    for (;;) {
        u32 task = 0, blocks = 0;
        if (lane == 0) task = atomicAdd(annealing.next, 1u);
        task = __shfl_sync(WARP, task, 0);
        if (task >= annealing.plans) break;
        unsigned char *line = annealing.lines + (u64)task * STEPS;
        plan.length = annealing.lengths[task];
        plan.score = 0;
        table.kept = annealing.kept[task];
        for (u32 i = lane; i < plan.length; i += LANES) plan.sheet->marks[i] = line[i];
        for (u32 i = 0; i < COLUMNS; i++) blocks += __popc((u32)annealing.cells[i]);
        if (lane < PAIRS)
            plan.spots[0].live[lane] = (u32)annealing.cells[2 * lane] |
                                       (u32)annealing.cells[2 * lane + 1] << 16;
        if (lane == 0) {
            plan.gains[0] = 0;
            plan.sheet->blocks[0] = (unsigned char)blocks;
        }
        __syncwarp();
        u64 rng = generator(mix(annealing.seed + (u64)task * LANES + lane));
        anneal_plan(&table, &plan, &own, task, &rng, &played);
        for (u32 i = lane; i < plan.length; i += LANES) line[i] = plan.sheet->marks[i];
        if (lane == 0) {
            annealing.lengths[task] = plan.length;
            annealing.scores[task] = plan.score;
        }
        __syncwarp();
    }
    if (lane == 0) atomicAdd(annealing.played, played);
}
