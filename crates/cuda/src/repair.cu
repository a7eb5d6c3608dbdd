// Nested rollout policy adaptation on a GPU, thousands of searches at a time.
//
// One warp is one search of two levels: it plays games by weights of moves,
// learns from the best of a level's games, and learns above from the best of
// those. All lanes hold the same board; each looks at one or two of the groups
// that could be played. A search may begin with a line it is to improve.
//
// A move is known by the blocks it takes, wherever they have fallen to. Weights are
// in tables by a hash of that. An entry counts only if it bears
// the number of the search, so that a new search need not clear its tables; the
// lower level's weights are those of the upper one until they are changed.
//
// C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search",
// IJCAI 2011.

#define STEPS 128
#define LANES 32
#define CHOICES 64
#define NOTHING 0xffffffffu
#define TABLE (1u << TABLE_BITS)
#define WARP 0xffffffffu

// What the searches of a launch have in common. The same in swarm.rs.
typedef struct {
    const u32 *boards;          // of each task where it starts
    const int *scores;
    const u64 *blocks;
    const u32 *rules;           // see RULE_... below; the second colour to keep from bit 4
                                // on; moves before the start from bit 8 on
    const unsigned char *lines; // of each task the moves to begin with
    const u32 *lengths;
    int *best_scores;           // of each task what it came to
    unsigned char *best_lines;
    u32 *best_lengths;
    u64 *weights;               // of each warp two tables
    u32 *choices;               // of each warp three games: what could be chosen
    unsigned char *cells;       // and what was
    unsigned char *picks;
    u32 *next;                  // the task to be taken next
    u64 *played;                // games
    const int *points;
    const int *left;
    u64 seed;
    u32 tasks;
    u32 epoch;                  // number of the first search of this launch
    u32 lower, upper;           // iterations of the two levels
    u32 warm;                   // adaptations to the line to begin with
    u32 patience;               // equal games in a row that end the lower level
    float alpha;
} Swarm;

#define RULE_STRICT 0
#define RULE_SELECTIVE 1
#define RULE_NONE 2
#define PAIRS_AFTER 10

typedef struct {
    u32 *choices;
    unsigned char *cells, *picks;
    u32 length;
    int score;
    u32 print; // a hash of the moves
} Game;

// Where a lane looks weights up.
typedef struct {
    u64 *lower, *upper;
    u32 lower_tag, upper_tag;
} Policy;

FN float weight_of(const Policy *policy, u32 slot, bool lower) {
    if (lower) {
        u64 entry = policy->lower[slot];
        if ((u32)(entry >> 32) == policy->lower_tag) return __uint_as_float((u32)entry);
    }
    u64 entry = policy->upper[slot];
    return (u32)(entry >> 32) == policy->upper_tag ? __uint_as_float((u32)entry) : 0.0f;
}

FN float sum_over_warp(float x) {
    UNROLL for (int by = 16; by; by >>= 1) x += __shfl_xor_sync(WARP, x, by);
    return x;
}

// The corner with so many before it, and its group, colour and size.
FN bool look(const Board *board, const u32 corners[WORDS], u32 rank, u32 group[WORDS],
             u32 *number, u32 *cell) {
    u32 total = 0, word = 0, at = 0, skipped = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        if (rank >= total) {
            word = corners[w];
            skipped = total;
            at = w;
        }
        total += __popc(corners[w]);
    }
    bool there = rank < total;
    u32 bit = there ? 1u << select_bit(word, rank - skipped) : 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) group[w] = w == at ? bit : 0;
    u32 colour[WORDS];
    same_colour(board, group, colour, number);
    flood(colour, group);
    u32 before = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++)
        before |= w < at ? group[w] : w == at ? group[w] & (bit - 1) : 0;
    *cell = at * 32 + (31 - __clz(bit | 1));
    return there && !before;
}

// ---- marks: a number for each block, which falls with it ----

// A column's marks lie together, with one place between columns so that lanes that
// look at different columns do not meet in memory.
#define MARKS (WORDS * 34)
FN u32 mark_at(u32 column, u32 row) { return column * 17 + row; }

FN void begin_marks(u32 *marks, u32 lane) {
    __syncwarp();
    for (u32 at = lane; at < MARKS; at += LANES) marks[at] = (u32)mix(at + 1);
    __syncwarp();
}

// The place of a group's weight.
FN u32 slot_of(const u32 group[WORDS], const u32 *marks) {
    u32 sum = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        for (u32 cells = group[w]; cells; cells &= cells - 1) {
            u32 bit = __ffs(cells) - 1;
            sum += marks[mark_at(2 * w + bit / 16, bit % 16)];
        }
    }
    return (sum * 0x9E3779B1u) >> (32 - TABLE_BITS);
}

// Takes those of a group away; a lane for each column.
FN void settle_marks(u32 *marks, const u32 group[WORDS], u32 lane) {
    u32 holes = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++)
        if (lane / 2 == w) holes = lane % 2 ? group[w] >> 16 : group[w] & LEFT_COLUMN;
    if (holes) {
        u32 to = __ffs(holes) - 1;
        for (u32 from = to + 1; from < 15; from++)
            if (!(holes >> from & 1)) marks[mark_at(lane, to++)] = marks[mark_at(lane, from)];
    }
    __syncwarp();
}

// Moves columns together; `columns` are those that are not empty.
FN void close_marks(u32 *marks, u32 columns, u32 lane) {
    if (!(columns & (columns + 1))) return;
    bool there = lane < __popc(columns);
    u32 from = there ? select_bit(columns, lane) : 0;
    for (u32 row = 0; row < 15; row++) {
        u32 mark = marks[mark_at(from, row)];
        __syncwarp();
        if (there) marks[mark_at(lane, row)] = mark;
    }
    __syncwarp();
}

// ---- games ----

// Plays a game by the weights, or along a line; writes down what could be chosen.
FN void play(Game *game, const Policy *policy, u32 *marks, const Board *start, int score,
             u64 remaining, u32 rules, const int *points, const int *left, u64 *rng,
             const unsigned char *line, u32 length) {
    u32 lane = threadIdx.x % LANES, step = 0, print = 0;
    u32 rule = rules & 15, second = rules >> 4 & 15, before = rules >> 8;
    Board board = *start;
    begin_marks(marks, lane);
    for (; step < STEPS; step++) {
        u32 corners[WORDS];
        find_corners(&board, corners);
        u32 total = count(corners);
        if (!total) break;
        bool wide = total > LANES, pairs = rule == RULE_SELECTIVE && before + step > PAIRS_AFTER;
        u32 one[WORDS], two[WORDS], number[2], cell[2], size;
        bool is[2], free[2];
        is[0] = look(&board, corners, lane, one, &number[0], &cell[0]);
        size = count(one);
        free[0] = is[0] && (number[0] != LAST || rule == RULE_NONE || (pairs && size == 2));
        is[1] = free[1] = false;
        number[1] = cell[1] = 0;
        if (wide) {
            is[1] = look(&board, corners, lane + LANES, two, &number[1], &cell[1]);
            size = count(two);
            free[1] = is[1] && (number[1] != LAST || rule == RULE_NONE || (pairs && size == 2));
        } else {
            UNROLL for (u32 w = 0; w < WORDS; w++) two[w] = 0;
        }
        if (__any_sync(WARP, free[0] || free[1])) {
            is[0] = free[0];
            is[1] = free[1];
        }
        bool third[2] = {is[0] && number[0] != second, is[1] && number[1] != second};
        if (__any_sync(WARP, third[0] || third[1])) {
            is[0] = third[0];
            is[1] = third[1];
        }
        bool along = step < length;
        bool mine[2] = {false, false};
        if (along) {
            u32 named = line[step];
            UNROLL for (u32 w = 0; w < WORDS; w++) {
                if (w == named / 32) {
                    mine[0] = one[w] >> (named % 32) & 1;
                    mine[1] = two[w] >> (named % 32) & 1;
                }
            }
            // Several corners of a group: the first.
            u32 who = __ballot_sync(WARP, mine[0]), whose = __ballot_sync(WARP, mine[1]);
            mine[0] = who && lane == __ffs(who) - 1;
            mine[1] = !who && whose && lane == __ffs(whose) - 1;
            is[0] |= mine[0];
            is[1] |= mine[1];
        }
        u32 slot[2] = {NOTHING, NOTHING};
        float p[2] = {0.0f, 0.0f};
        if (is[0]) {
            slot[0] = slot_of(one, marks);
            p[0] = __expf(weight_of(policy, slot[0], true));
        }
        if (is[1]) {
            slot[1] = slot_of(two, marks);
            p[1] = __expf(weight_of(policy, slot[1], true));
        }
        u32 pick, from;
        if (along) {
            u32 who = __ballot_sync(WARP, mine[0]), whose = __ballot_sync(WARP, mine[1]);
            // A group that no lane looks at: there are more corners than lanes for them.
            if (!who && !whose) break;
            pick = who ? 0 : 1;
            from = __ffs(who ? who : whose) - 1;
        } else {
            float sum = p[0] + p[1];
            UNROLL for (int by = 1; by < LANES; by <<= 1) {
                float other = __shfl_up_sync(WARP, sum, by);
                if (lane >= by) sum += other;
            }
            float all = __shfl_sync(WARP, sum, LANES - 1);
            float drawn = (float)(draw(rng) >> 40) * (1.0f / 16777216.0f) * all;
            u32 past = __ballot_sync(WARP, sum > drawn && (is[0] || is[1]));
            u32 any = __ballot_sync(WARP, is[0] || is[1]);
            from = past ? __ffs(past) - 1 : 31 - __clz(any);
            bool second = is[1] && (!is[0] || drawn >= sum - p[1]);
            pick = __shfl_sync(WARP, second ? 1u : 0u, from);
        }
        game->choices[step * CHOICES + lane] = slot[0];
        if (wide) game->choices[step * CHOICES + LANES + lane] = slot[1];
        u32 chosen = __shfl_sync(WARP, pick ? cell[1] : cell[0], from);
        u32 colour = __shfl_sync(WARP, pick ? number[1] : number[0], from);
        u32 group[WORDS];
        UNROLL for (u32 w = 0; w < WORDS; w++)
            group[w] = __shfl_sync(WARP, pick ? two[w] : one[w], from);
        if (lane == 0) {
            game->cells[step] = chosen;
            game->picks[step] = (pick * LANES + from) | (wide ? 128 : 0);
        }
        print = (print ^ chosen) * 0x01000193u + step;
        size = count(group);
        score += points[size];
        remaining -= (u64)size << (8 * colour);
        __syncwarp();
        settle(&board, group);
        settle_marks(marks, group, lane);
        close_marks(marks, columns_of(&board), lane);
        close_columns(&board);
    }
    game->length = step;
    game->score = score + end_points(remaining, left);
    game->print = print;
    __syncwarp();
}

// Makes the moves of a game likelier.
FN void adapt(const Policy *policy, const Game *game, bool lower, float alpha) {
    u32 lane = threadIdx.x % LANES;
    u64 *table = lower ? policy->lower : policy->upper;
    u64 tag = (u64)(lower ? policy->lower_tag : policy->upper_tag) << 32;
    for (u32 step = 0; step < game->length; step++) {
        u32 picked = game->picks[step];
        bool wide = picked & 128;
        picked &= 127;
        u32 one = game->choices[step * CHOICES + lane];
        u32 two = wide ? game->choices[step * CHOICES + LANES + lane] : NOTHING;
        float w1 = 0.0f, w2 = 0.0f, p1 = 0.0f, p2 = 0.0f;
        if (one != NOTHING) {
            w1 = weight_of(policy, one, lower);
            p1 = __expf(w1);
        }
        if (two != NOTHING) {
            w2 = weight_of(policy, two, lower);
            p2 = __expf(w2);
        }
        float scale = alpha / sum_over_warp(p1 + p2);
        if (one != NOTHING) {
            float w = w1 - scale * p1 + (picked == lane ? alpha : 0.0f);
            table[one] = tag | __float_as_uint(w);
        }
        if (two != NOTHING) {
            float w = w2 - scale * p2 + (picked == lane + LANES ? alpha : 0.0f);
            table[two] = tag | __float_as_uint(w);
        }
        __syncwarp();
    }
}

FN void exchange(Game *one, Game *other) {
    Game between = *one;
    *one = *other;
    *other = between;
}

// Blocks that a multiprocessor shall have room for: registers are limited to that.
#define MIN_BLOCKS 5

KERNEL_OF(MIN_BLOCKS) void repair(Swarm swarm) {
    u32 warp = THREAD / LANES, lane = threadIdx.x % LANES;
    SHARED u32 all_marks[THREADS_PER_BLOCK / LANES][MARKS];
    u32 *marks = all_marks[threadIdx.x / LANES];
    Policy policy;
    policy.lower = swarm.weights + (u64)warp * 2 * TABLE;
    policy.upper = policy.lower + TABLE;
    Game now, low, high;
    Game *games[3] = {&now, &low, &high};
    UNROLL for (u32 i = 0; i < 3; i++) {
        u64 place = (u64)warp * 3 + i;
        games[i]->choices = swarm.choices + place * STEPS * CHOICES;
        games[i]->cells = swarm.cells + place * STEPS;
        games[i]->picks = swarm.picks + place * STEPS;
    }
    u64 played = 0;
    for (;;) {
        u32 task = 0;
        if (lane == 0) task = atomicAdd(swarm.next, 1u);
        task = __shfl_sync(WARP, task, 0);
        if (task >= swarm.tasks) break;
        Board start;
        load(&start, swarm.boards + (u64)task * BOARD);
        int score = swarm.scores[task];
        u64 remaining = swarm.blocks[task];
        u32 rules = swarm.rules[task], length = swarm.lengths[task];
        const unsigned char *line = swarm.lines + (u64)task * STEPS;
        u64 rng = generator(mix(swarm.seed + task));
        policy.upper_tag = swarm.epoch + task * (swarm.upper + 1);
        policy.lower_tag = policy.upper_tag;
        high.score = -2147483647;
        high.length = 0;
        if (length) {
            play(&high, &policy, marks, &start, score, remaining, rules, swarm.points,
                 swarm.left, &rng, line, length);
            for (u32 i = 0; i < swarm.warm; i++) adapt(&policy, &high, false, swarm.alpha);
            // A line that could not be followed to its end teaches, but is none.
            if (high.length < length) {
                high.score = -2147483647;
                high.length = 0;
            }
        }
        for (u32 i = 0; i < swarm.upper; i++) {
            policy.lower_tag = policy.upper_tag + 1 + i;
            low.score = -2147483647;
            u32 equal = 0;
            for (u32 j = 0; j < swarm.lower; j++) {
                play(&now, &policy, marks, &start, score, remaining, rules, swarm.points,
                     swarm.left, &rng, line, 0);
                played += lane == 0;
                equal = now.print == low.print && now.score == low.score ? equal + 1 : 0;
                if (now.score >= low.score) exchange(&now, &low);
                if (equal >= swarm.patience) break;
                adapt(&policy, &low, true, swarm.alpha);
            }
            if (low.score >= high.score) exchange(&low, &high);
            adapt(&policy, &high, false, swarm.alpha);
        }
        if (lane == 0) {
            swarm.best_scores[task] = high.score;
            swarm.best_lengths[task] = high.length;
        }
        for (u32 i = lane; i < high.length; i += LANES)
            swarm.best_lines[(u64)task * STEPS + i] = high.cells[i];
        __syncwarp();
    }
    if (lane == 0) atomicAdd(swarm.played, played);
}
