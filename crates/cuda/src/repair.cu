// Nested rollout policy adaptation on a GPU, thousands of searches at a time.
//
// One warp is one search of two levels: its teams (see team.cu) play games by weights
// of moves, it learns from the best game of a level so far, and learns above from the
// best of those. A search may begin with a line it is to improve.
//
// Weights are in a table by a hash of the move. An entry counts only if it bears
// the number of the search, so that a new search need not clear its table; the
// lower level's weights are those of the upper one until they are changed.
//
// C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search",
// IJCAI 2011; several games for each adaptation: T. Cazenave, J.-B. Sevestre,
// M. Toulemont, "Stabilized Nested Rollout Policy Adaptation", 2021.

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
    Entry *weights;             // of each warp a table
    u32 *choices;               // of each warp GAMES games: what could be chosen
    unsigned char *cells;       // and what was
    unsigned short *picks;
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

// Those that the teams are playing, and the best of either level.
#define GAMES (TEAMS + 2)

// A game that was played. What could be chosen at a step is in CHOICES words, of which
// `picks` has the number that were written down from bit 8 on, and below that the one
// that was chosen. Each word has the place of the weight and, from bit 16 on, the cell.
typedef struct {
    u32 place; // which of the warp's games it is
    u32 length;
    int score;
    u32 print; // a hash of the moves
} Game;

// Where a search is told of, and what it plays by.
typedef struct {
    const Swarm *swarm;
    const u32 *board;
    const u32 *marks;
    u32 *choices;
    unsigned char *cells;
    unsigned short *picks;
    Policy policy;
    int score;
    u64 blocks;
    u32 rules;
} Search;

// What may be chosen from: of the places that a lane has on the list a bit for each.
typedef struct {
    u32 may;
    bool sure; // whether there is one of the colours that may be chosen for sure
} Hand;

// The groups that may be chosen: not of the colour that is kept, nor of a second one
// while there is a third, unless there is nothing else.
FN Hand hand_of(const Team *team, u64 listed, u32 rounds, u32 sure, u32 rules, u32 step) {
    u32 rule = rules & 15, second = rules >> 4 & 15, before = rules >> 8, there = 0, free = 0,
        third = 0;
    bool pairs = rule == RULE_SELECTIVE && before + step > PAIRS_AFTER;
    Hand hand;
    hand.sure = false;
    for (u32 round = 0; round < rounds; round++) {
        u32 place = round * TEAM + lane_of_team();
        if (!(listed >> place & 1)) continue;
        u32 about = team->about[place], colour = colour_in(about);
        bool is_free = colour != LAST || rule == RULE_NONE || (pairs && pair_in(about));
        hand.sure |= sure >> colour & 1;
        there |= 1u << round;
        free |= (u32)is_free << round;
        third |= (u32)(colour != second) << round;
    }
    hand.may = votes_of_team(free) ? free : there;
    third &= hand.may;
    hand.may = votes_of_team(third) ? third : hand.may;
    return hand;
}

// The place of the group that covers a cell; NOTHING if it is not listed.
FN u32 place_of_cell(const Team *team, u64 listed, u32 cell) {
    u32 found = NOTHING;
    for (u32 place = lane_of_team(); place < CHOICES; place += TEAM)
        if (listed >> place & 1 && team->groups[cell / 32][place] >> cell % 32 & 1) found = place;
    u32 who = votes_of_team(found != NOTHING);
    found = of_lane(found, who ? __ffs(who) - 1 : 0);
    return who ? found : NOTHING;
}

// Draws one of the places that may be chosen.
FN u32 draw_place(const Team *team, u32 may, u64 random) {
    u32 lane = lane_of_team();
    float sum = 0.0f;
    for (u32 left = may; left; left &= left - 1)
        sum += team->odds[(__ffs(left) - 1) * TEAM + lane];
    float until = sum;
    UNROLL for (u32 by = 1; by < TEAM; by <<= 1) {
        float other = __shfl_sync(WARP, until, first_of_team() + (lane - by) % TEAM);
        if (lane >= by) until += other;
    }
    float all = __shfl_sync(WARP, until, first_of_team() + TEAM - 1);
    float drawn = (float)(random >> 40) * (1.0f / 16777216.0f) * all;
    u32 past = votes_of_team(may && until > drawn), any = votes_of_team(may != 0);
    u32 from = past ? __ffs(past) - 1 : 31 - __clz(any | 1), place = 0;
    // Of that lane the first that passes what was drawn, or else its last.
    float passed = until - sum;
    for (u32 left = lane == from ? may : 0; left; left &= left - 1) {
        place = (__ffs(left) - 1) * TEAM + lane;
        passed += team->odds[place];
        if (passed > drawn) break;
    }
    return of_lane(place, from);
}

// Each team plays a game by the weights, or along a line; they write down what could be
// chosen.
FN void play(const Search *search, Game *game, Team *team, u64 *rng, const unsigned char *line,
             u32 length) {
    u32 lane = lane_of_team(), covered = 0, print = 0, step = 0;
    u32 rule = search->rules & 15, second = search->rules >> 4 & 15;
    // The colours whose groups are listed first, and those whose groups may be chosen
    // for sure. Pairs may be of any.
    u32 first = second ? ~(1u << second) : ~0u, sure = first;
    if (rule != RULE_NONE) sure &= ~(1u << LAST);
    if (rule == RULE_STRICT) first = sure;
    u64 listed = ~0ull << CHOICES, remaining = search->blocks;
    u64 record = (u64)game->place * STEPS;
    int score = search->score;
    bool over = false;
    Part part;
    begin_part(&part, search->board);
    for (;;) {
        u32 corners = corners_of_part(&part) & ~covered, later = 0, named, rounds;
        if (!(first >> LAST & 1)) later |= colour_of_part(&part, LAST);
        if (second) later |= colour_of_part(&part, second);
        Hand hand;
        // Once more if there are none that may be chosen for sure, or the line has another.
        for (bool again = false;; again = true) {
            show_part(team, &part, again ? corners : corners & ~later);
            listed = list_groups(team, listed, sure, search->marks, &search->policy);
            rounds = rounds_of(listed);
            hand = hand_of(team, listed, rounds, sure, search->rules, step);
            named = step < length ? place_of_cell(team, listed, line[step]) : NOTHING;
            bool more = !votes_of_team(hand.sure) || (step < length && named == NOTHING);
            corners = more && !over ? corners & later : 0;
            if (again || !__any_sync(WARP, corners)) break;
        }
        // No group is left, or there is no room on the list for that of the line.
        over |= !votes_of_team(hand.may != 0) || step == STEPS;
        over |= step < length && named == NOTHING;
        if (step < length && !over && named % TEAM == lane) hand.may |= 1u << (named / TEAM);
        if (__all_sync(WARP, over)) break;
        for (u32 left = hand.may; left; left &= left - 1) {
            u32 place = (__ffs(left) - 1) * TEAM + lane;
            if (team->odds[place] < 0.0f) know(team, place, search->marks, &search->policy);
        }
        u64 random = named != NOTHING ? 0 : draw(rng);
        u32 place = draw_place(team, hand.may, random);
        if (named != NOTHING) place = named;
        // After the end nothing happens any more.
        u32 holes = lane < WORDS && !over ? team->groups[lane][place] : 0;
        __syncwarp();
        u32 about = team->about[place], size = sum_of_team(__popc(holes));
        if (!over) {
            u32 *choices = search->choices + (record + step) * CHOICES + lane;
            for (u32 round = 0; round < rounds; round++) {
                u32 one = team->about[round * TEAM + lane];
                one = slot_in(one) | cell_in(one) << 16;
                choices[round * TEAM] = hand.may >> round & 1 ? one : NOTHING;
            }
            if (lane == 0) {
                search->cells[record + step] = cell_in(about);
                search->picks[record + step] = place | rounds * TEAM << 8;
            }
            print = (print ^ cell_in(about)) * 0x01000193u + step;
            score += search->swarm->points[size];
            remaining -= (u64)size << (8 * colour_in(about));
            step++;
        }
        u32 moved = settle_part(&part, holes), columns = columns_of_team(&part);
        show_part(team, &part, changed(&part, moved, columns));
        listed = strike(team, listed, rounds, &covered);
        close_part(&part, team, listed, columns, &covered);
    }
    game->length = step;
    game->score = score + end_points(remaining, search->swarm->left);
    game->print = print;
    __syncwarp();
}

FN float sum_over_warp(float x) {
    UNROLL for (u32 by = 16; by; by >>= 1) x += __shfl_sync(WARP, x, threadIdx.x % LANES ^ by);
    return x;
}

// Makes the moves of a game likelier.
FN void adapt(const Search *search, const Game *game, bool lower) {
    u32 lane = threadIdx.x % LANES;
    const Policy *policy = &search->policy;
    float alpha = search->swarm->alpha;
    u64 tag = (u64)(lower ? policy->lower_tag : policy->upper_tag) << 32;
    for (u32 step = 0; step < game->length; step++) {
        u64 record = (u64)game->place * STEPS + step;
        u32 pick = search->picks[record], many = pick >> 8, slot[2];
        float weight[2], odds[2];
        UNROLL for (u32 i = 0; i < 2; i++) {
            u32 at = i * LANES + lane;
            slot[i] = at < many ? search->choices[record * CHOICES + at] : NOTHING;
            weight[i] = odds[i] = 0.0f;
            if (slot[i] == NOTHING) continue;
            slot[i] &= 0xffff;
            weight[i] = weight_of(policy, slot[i], lower);
            odds[i] = __expf(weight[i]);
        }
        float scale = alpha / sum_over_warp(odds[0] + odds[1]);
        UNROLL for (u32 i = 0; i < 2; i++) {
            if (slot[i] == NOTHING) continue;
            bool chosen = (pick & 255) == i * LANES + lane;
            float to = weight[i] - scale * odds[i] + (chosen ? alpha : 0.0f);
            Entry *entry = policy->table + slot[i];
            *(lower ? &entry->lower : &entry->upper) = tag | __float_as_uint(to);
        }
        __syncwarp();
    }
}

// The best of the teams' games, known to all lanes. Of equal ones the last.
FN Game best_of_teams(const Game *game) {
    u32 best = TEAMS - 1;
    int score = (int)__shfl_sync(WARP, (u32)game->score, best * TEAM);
    for (u32 team = TEAMS - 1; team-- > 0;) {
        int other = (int)__shfl_sync(WARP, (u32)game->score, team * TEAM);
        if (other > score) {
            best = team;
            score = other;
        }
    }
    Game found;
    found.place = __shfl_sync(WARP, game->place, best * TEAM);
    found.length = __shfl_sync(WARP, game->length, best * TEAM);
    found.print = __shfl_sync(WARP, game->print, best * TEAM);
    found.score = score;
    return found;
}

// Keeps a game in place of another, whose record the team that played it has from now on.
FN void keep_game(Game *kept, const Game *found, Game *own) {
    if (own->place == found->place) own->place = kept->place;
    *kept = *found;
}

FN void forget(Game *game) {
    game->score = -2147483647;
    game->length = 0;
    game->print = 0;
}

// One search: the best game it finds, in `best`.
FN void find_best(Search *search, Game *own, Game *low, Game *best, Team *team, u64 *rng,
                  const unsigned char *line, u32 length, u64 *played) {
    const Swarm *swarm = search->swarm;
    Policy *policy = &search->policy;
    forget(best);
    // First of all the line, if there is one.
    for (u32 i = length ? 0 : 1; i <= swarm->upper; i++) {
        bool along = i == 0;
        policy->lower_tag = policy->upper_tag + i;
        forget(low);
        u32 equal = 0;
        for (u32 j = 0; j < swarm->lower; j++) {
            play(search, own, team, rng, line, along ? length : 0);
            Game found = best_of_teams(own);
            equal = found.print == low->print && found.score == low->score ? equal + 1 : 0;
            if (found.score >= low->score) keep_game(low, &found, own);
            if (along) break;
            *played += TEAMS;
            if (equal >= swarm->patience) break;
            adapt(search, low, true);
        }
        if (low->score >= best->score) {
            Game between = *low;
            *low = *best;
            *best = between;
        }
        for (u32 k = along ? swarm->warm : 1; k; k--) adapt(search, best, false);
        // A line that could not be followed to its end teaches, but is none.
        if (along && best->length < length) forget(best);
    }
}

// Blocks that a multiprocessor shall have room for: registers are limited to that.
#define MIN_BLOCKS 5

KERNEL_OF(MIN_BLOCKS) void repair(Swarm swarm) {
    u32 warp = THREAD / LANES, lane = threadIdx.x % LANES;
    SHARED Team teams[THREADS_PER_BLOCK / TEAM];
    SHARED u32 marks[256];
    Team *team = &teams[threadIdx.x / TEAM];
    // Every warp writes the same.
    for (u32 i = lane; i < 256; i += LANES) marks[i] = (u32)mix(i + 1);
    __syncwarp();
    u64 games = (u64)warp * GAMES * STEPS, played = 0;
    Search search;
    search.swarm = &swarm;
    search.marks = marks;
    search.choices = swarm.choices + games * CHOICES;
    search.cells = swarm.cells + games;
    search.picks = swarm.picks + games;
    search.policy.table = swarm.weights + (u64)warp * TABLE;
    Game own, low, best;
    own.place = lane / TEAM;
    low.place = TEAMS;
    best.place = TEAMS + 1;
    for (;;) {
        u32 task = 0;
        if (lane == 0) task = atomicAdd(swarm.next, 1u);
        task = __shfl_sync(WARP, task, 0);
        if (task >= swarm.tasks) break;
        search.board = swarm.boards + (u64)task * BOARD;
        search.score = swarm.scores[task];
        search.blocks = swarm.blocks[task];
        search.rules = swarm.rules[task];
        search.policy.upper_tag = swarm.epoch + task * (swarm.upper + 1);
        search.policy.lower_tag = search.policy.upper_tag;
        u64 rng = generator(mix(swarm.seed + (u64)task * TEAMS + lane / TEAM));
        find_best(&search, &own, &low, &best, team, &rng, swarm.lines + (u64)task * STEPS,
                  swarm.lengths[task], &played);
        if (lane == 0) {
            swarm.best_scores[task] = best.score;
            swarm.best_lengths[task] = best.length;
        }
        for (u32 i = lane; i < best.length; i += LANES)
            swarm.best_lines[(u64)task * STEPS + i] =
                search.cells[(u64)best.place * STEPS + i];
        __syncwarp();
    }
    if (lane == 0) atomicAdd(swarm.played, played);
}
