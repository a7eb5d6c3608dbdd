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
// S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by Simulated Annealing",
// Science 220, 1983.
//
// Before this: bench.cu, which plays the games.

// Tries to find a group to insert.
#define TRIES 6
// Proposals of a round begin within so many marks of each other.
#define APART 4
// Lanes that take what comes, though it be nothing but another order of marks.
#define KEEPERS 6

// A plan of a warp, with the positions before each mark; what it is worth on the way to
// better ones, and how much of that the rules would not grant.
typedef struct {
    Sheet *sheet;
    Spot *spots;
    int *gains;
    u32 length;
    int worth;
    int grace;
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
    int worth, grace;
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
                proposal->worth = plan->worth + table->gain - plan->gains[at];
                proposal->grace = plan->grace;
                stage = OVER;
                if (proposal->worth == plan->worth && moves < patience) {
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
                proposal->worth = final_worth(table);
                proposal->grace = proposal->worth - final_score(table);
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
    int worth = (int)__shfl_sync(WARP, (u32)own->worth, who);
    int grace = (int)__shfl_sync(WARP, (u32)own->grace, who);
    long long apart = ((long long)who - lane) * STEPS;
    Spot *spots = own->spots + apart;
    u32 *notes = own->notes + apart;
    u32 length = from + many;
    if (meets != NO_MARK) {
        u32 rest = plan->length - meets;
        int more = worth - plan->worth;
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
    plan->worth = worth;
    plan->grace = grace;
    __syncwarp();
}

// The lane whose proposal is worth most, the first of equals.
FN u32 best_lane(const Proposal *own) {
    u32 who = 0;
    int most = (int)__shfl_sync(WARP, (u32)own->worth, 0);
    for (u32 other = 1; other < LANES; other++) {
        int worth = (int)__shfl_sync(WARP, (u32)own->worth, other);
        if (worth > most) {
            most = worth;
            who = other;
        }
    }
    return who;
}

// One of the lanes whose proposals are accepted at a temperature, rather one that changes
// the game than one that changes an order only; LANES if there is none.
FN u32 accepted_lane(const Plan *plan, const Proposal *own, float heat, u32 random, u64 *rng) {
    int more = own->worth - plan->worth;
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
        int score = plan->worth - plan->grace;
        if (score > highest || !round) {
            highest = score;
            for (u32 i = lane; i < plan->length; i += LANES) best[i] = plan->sheet->marks[i];
            if (lane == 0) {
                annealing->best_scores[task] = highest;
                annealing->best_lengths[task] = plan->length;
            }
        }
        if (!plan->length) break;
    }
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
    own.worth = own.grace = 0;
    own.spots = annealing.own_spots + mine * STEPS;
    own.notes = annealing.own_notes + mine * STEPS;
    for (;;) {
        u32 task = 0, blocks = 0;
        if (lane == 0) task = atomicAdd(annealing.next, 1u);
        task = __shfl_sync(WARP, task, 0);
        if (task >= annealing.plans) break;
        unsigned char *line = annealing.lines + (u64)task * STEPS;
        plan.length = annealing.lengths[task];
        plan.worth = plan.grace = 0;
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
            annealing.worths[task] = plan.worth;
        }
        __syncwarp();
    }
    if (lane == 0) atomicAdd(annealing.played, played);
}
