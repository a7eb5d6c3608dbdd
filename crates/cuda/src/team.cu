// A team of eight lanes plays a game of SameGame by weights of its moves.
//
// Each lane has one word of the board: two columns. The groups that could be played
// are kept in a list in shared memory, with how likely each is to be chosen. A move
// changes few of them: those that have fallen, or have met some that have, are looked
// for again, one by each lane, and the others stay. Groups of colours that are kept for
// last are listed when there are no others. The four teams of a warp go through their
// moves together, each with a game of its own.
//
// A move is known by the blocks it takes, wherever they have fallen to: each column
// tells of its blocks where they came from, four bits for each, and in its top bits
// which column it was.
//
// Before this: samegame.cu. Set from outside: TABLE_BITS.

#define STEPS 128
#define LANES 32
#define TEAM 8
#define TEAMS (LANES / TEAM)
#define CHOICES 56
#define NOTHING 0xffffffffu
#define WARP 0xffffffffu

// What a team has in shared memory. Teams begin in banks of their own: a team reads
// eight words at a time.
typedef struct {
    u32 groups[WORDS][CHOICES]; // the cells of each group
    float odds[CHOICES];        // how likely it is, if it is known by now
    u32 about[CHOICES];         // see about_of
    u64 origins[2 * WORDS];     // of each column
    u32 board[PLANES][WORDS];
    u32 cells[WORDS];           // those to be looked at
    u32 apart[8];
} Team;

#define UNKNOWN -1.0f

// A group: the place of its weight, its colour, whether it is a pair, its first cell.
FN u32 about_of(u32 colour, bool pair, u32 cell) {
    return colour << 16 | (u32)pair << 19 | cell << 20;
}
FN u32 slot_in(u32 about) { return about & 0xffff; }
FN u32 colour_in(u32 about) { return about >> 16 & 7; }
FN bool pair_in(u32 about) { return about >> 19 & 1; }
FN u32 cell_in(u32 about) { return about >> 20 & 255; }

// ---- weights ----

#define TABLE (1u << TABLE_BITS)

// The weight of a move on both levels of a search: a number, and above it the search
// that it is of. The weight of another search is none.
typedef struct ALIGNED(16) {
    u64 lower, upper;
} Entry;

// Where weights are, and of which searches.
typedef struct {
    Entry *table;
    u32 lower_tag, upper_tag;
} Policy;

FN float weight_of(const Policy *policy, u32 slot, bool lower) {
    Entry entry = policy->table[slot];
    if (lower && (u32)(entry.lower >> 32) == policy->lower_tag)
        return __uint_as_float((u32)entry.lower);
    return (u32)(entry.upper >> 32) == policy->upper_tag ? __uint_as_float((u32)entry.upper)
                                                         : 0.0f;
}

// ---- the lanes of a team ----

FN u32 lane_of_team(void) { return threadIdx.x % TEAM; }
FN u32 first_of_team(void) { return threadIdx.x % LANES / TEAM * TEAM; }

// What another lane of the team has; 0 outside of it.
FN u32 of_lane(u32 value, u32 lane) {
    u32 other = __shfl_sync(WARP, value, first_of_team() + lane % TEAM);
    return lane < TEAM ? other : 0;
}
FN u64 of_lane_wide(u64 value, u32 lane) {
    return of_lane((u32)value, lane) | (u64)of_lane((u32)(value >> 32), lane) << 32;
}
// A bit for each lane.
FN u32 votes_of_team(bool vote) {
    return __ballot_sync(WARP, vote) >> first_of_team() & ((1u << TEAM) - 1);
}
// The largest that any lane of the warp has, where lanes of a team have the same.
FN u32 most_of_teams(u32 value) {
    UNROLL for (u32 by = TEAM; by < LANES; by <<= 1) {
        u32 other = __shfl_sync(WARP, value, threadIdx.x % LANES ^ by);
        value = other > value ? other : value;
    }
    return value;
}
FN u32 sum_of_team(u32 value) {
    UNROLL for (u32 by = 1; by < TEAM; by <<= 1) value += of_lane(value, lane_of_team() ^ by);
    return value;
}

// Of all lanes' words for each place, united, the one for the lane's own place: half of
// them go to the other side at each step.
FN u32 united(u32 words[TEAM]) {
    u32 lane = lane_of_team();
    UNROLL for (u32 half = TEAM / 2; half; half >>= 1) {
        bool upper = lane & half;
        UNROLL for (u32 i = 0; i < half; i++) {
            u32 mine = upper ? words[i + half] : words[i];
            u32 others = upper ? words[i] : words[i + half];
            words[i] = mine | of_lane(others, lane ^ half);
        }
    }
    return words[0];
}

// ---- groups ----

// Finds the group of the corner with so many before it. False if there is none, or it
// has another corner before that.
FN bool look(const Team *team, u32 rank, u32 group[WORDS], u32 *about) {
    u32 total = 0, word = 0, at = 0, skipped = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 corners = team->cells[w];
        if (rank >= total) {
            word = corners;
            skipped = total;
            at = w;
        }
        total += __popc(corners);
    }
    bool there = rank < total;
    u32 bit = there ? 1u << select_bit(word, rank - skipped) : 0, bits[PLANES], number = 0;
    UNROLL for (u32 k = 0; k < PLANES; k++) {
        bits[k] = team->board[k][at] & bit ? ~0u : 0;
        number |= bits[k] & (1u << k);
    }
    u32 colour[WORDS];
    UNROLL for (u32 w = 0; w < WORDS; w++) {
        u32 differs = 0;
        UNROLL for (u32 k = 0; k < PLANES; k++) differs |= team->board[k][w] ^ bits[k];
        colour[w] = there ? ~differs : 0;
        group[w] = w == at ? bit : 0;
    }
    flood(colour, group);
    u32 before = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++)
        before |= w < at ? group[w] : w == at ? group[w] & (bit - 1) : 0;
    *about = about_of(number, count(group) == 2, at * 32 + (31 - __clz(bit | 1)));
    return there && !before;
}

// The place of the weight of a listed group: by the sum of its blocks' marks.
FN u32 slot_of(const Team *team, u32 place, const u32 *marks) {
    u32 sum = 0, w = cell_in(team->about[place]) / 32, cells = team->groups[w][place];
    // The words of a group lie together.
    while (cells) {
        u32 bit = __ffs(cells) - 1;
        u64 from = team->origins[2 * w + bit / 16];
        sum += marks[(u32)(from >> 60) << 4 | ((u32)(from >> (4 * (bit % 16))) & 15)];
        cells &= cells - 1;
        if (!cells && w + 1 < WORDS) cells = team->groups[++w][place];
    }
    return (sum * 0x9E3779B1u) >> (32 - TABLE_BITS);
}

// Makes known how likely a listed group is to be chosen.
FN void know(Team *team, u32 place, const u32 *marks, const Policy *policy) {
    u32 slot = slot_of(team, place, marks);
    team->about[place] |= slot;
    team->odds[place] = __expf(weight_of(policy, slot, true));
}

// Lists the groups that have a corner among the cells to be looked at. `sure` has a bit
// for each colour whose groups are made known at once: others are when they are wanted.
// Groups that there is no room for are left out.
FN u64 list_groups(Team *team, u64 listed, u32 sure, const u32 *marks, const Policy *policy) {
    u32 lane = lane_of_team(), total = 0;
    UNROLL for (u32 w = 0; w < WORDS; w++) total += __popc(team->cells[w]);
    for (u32 first = 0; __any_sync(WARP, first < total); first += TEAM) {
        u32 group[WORDS], about, place = NOTHING;
        bool is = look(team, first + lane, group, &about);
        u32 found = votes_of_team(is), rank = __popc(found & ((1u << lane) - 1));
        u32 many = __popc(found), most = most_of_teams(many);
        for (u32 i = 0; i < most; i++) {
            if (i == rank) place = __ffsll(~listed) - 1;
            if (i < many) listed |= listed + 1;
        }
        if (is && place < CHOICES) {
            UNROLL for (u32 w = 0; w < WORDS; w++) team->groups[w][place] = group[w];
            team->about[place] = about;
            team->odds[place] = UNKNOWN;
            if (sure >> colour_in(about) & 1) know(team, place, marks, policy);
        }
    }
    __syncwarp();
    return listed;
}

// How many places the list has for each lane, in the longest list of the warp.
FN u32 rounds_of(u64 listed) {
    u32 places = 64 - __clzll(listed & ~(~0ull << CHOICES));
    return most_of_teams((places + TEAM - 1) / TEAM);
}

// Strikes the groups off the list that have one of the cells to be looked at. `covered`
// becomes the lane's cells of those that stay.
FN u64 strike(const Team *team, u64 listed, u32 rounds, u32 *covered) {
    u32 lane = lane_of_team(), near[WORDS], cover[TEAM];
    u64 stay = ~0ull << CHOICES;
    UNROLL for (u32 w = 0; w < WORDS; w++) near[w] = team->cells[w];
    UNROLL for (u32 w = 0; w < TEAM; w++) cover[w] = 0;
    for (u32 round = 0; round < rounds; round++) {
        u32 place = round * TEAM + lane, hit = 0, group[WORDS];
        bool stays = listed >> place & 1;
        if (stays) {
            UNROLL for (u32 w = 0; w < WORDS; w++) {
                group[w] = team->groups[w][place];
                hit |= group[w] & near[w];
            }
            stays = !hit;
            UNROLL for (u32 w = 0; w < WORDS; w++) cover[w] |= stays ? group[w] : 0;
        }
        stay |= (u64)votes_of_team(stays) << (round * TEAM);
    }
    *covered = united(cover);
    return stay;
}

// ---- the board ----

// A lane's part of the board.
typedef struct {
    u32 planes[PLANES];
    u64 origins[2];
} Part;

FN void begin_part(Part *part, const u32 *start) {
    u32 lane = lane_of_team();
    UNROLL for (u32 k = 0; k < PLANES; k++)
        part->planes[k] = lane < WORDS ? start[k * WORDS + lane] : 0;
    UNROLL for (u32 i = 0; i < 2; i++)
        part->origins[i] = 0x0EDCBA9876543210ull | (u64)(2 * lane + i) << 60;
}

FN void show_part(Team *team, const Part *part, u32 cells) {
    u32 lane = lane_of_team();
    __syncwarp();
    if (lane < WORDS) {
        UNROLL for (u32 k = 0; k < PLANES; k++) team->board[k][lane] = part->planes[k];
        UNROLL for (u32 i = 0; i < 2; i++) team->origins[2 * lane + i] = part->origins[i];
        team->cells[lane] = cells;
    }
    __syncwarp();
}

// The cells of a colour.
FN u32 colour_of_part(const Part *part, u32 colour) {
    u32 cells = ~0u;
    UNROLL for (u32 k = 0; k < PLANES; k++)
        cells &= colour >> k & 1 ? part->planes[k] : ~part->planes[k];
    return cells;
}

// The cells that are like the one above, and those that are like the one to the right.
FN void alike(const Part *part, u32 *above, u32 *right) {
    u32 cells = 0, differs_above = 0, differs_right = 0;
    UNROLL for (u32 k = 0; k < PLANES; k++) {
        u32 here = part->planes[k], next = of_lane(here, lane_of_team() + 1);
        cells |= here;
        differs_above |= here ^ (here >> 1);
        differs_right |= here ^ from_right(here, next);
    }
    *above = cells & ~differs_above;
    *right = cells & ~differs_right;
}

// The corners: see find_corners.
FN u32 corners_of_part(const Part *part) {
    u32 above, right;
    alike(part, &above, &right);
    u32 left = of_lane(right, lane_of_team() - 1);
    return (above | right) & ~((above << 1) | from_left(left, right));
}

FN u32 occupied_in(const Part *part) {
    u32 cells = 0;
    UNROLL for (u32 k = 0; k < PLANES; k++) cells |= part->planes[k];
    return cells;
}

// Takes cells away; what is above them falls. Gives the cells in which there was a block
// that is gone or has fallen.
FN u32 settle_part(Part *part, u32 holes) {
    u32 marked = holes | TOPS;
    u32 moved = occupied_in(part) & ~((marked - FLOORS) & ~marked);
    UNROLL for (u32 i = 0; i < 2; i++) {
        u32 column = i ? holes >> 16 : holes & LEFT_COLUMN;
        // From the top, so that those below stay where they are.
        while (column) {
            u32 row = 31 - __clz(column);
            u64 below = (1ull << (4 * row)) - 1, names = 15ull << 60;
            u64 all = part->origins[i];
            part->origins[i] = (all & (below | names)) | ((all & ~names) >> 4 & ~below);
            column &= ~(1u << row);
        }
    }
    while (holes) {
        // As in `settle`.
        marked = holes | TOPS;
        u32 below = ((marked - FLOORS) & ~marked) | TOPS;
        UNROLL for (u32 k = 0; k < PLANES; k++)
            part->planes[k] = (part->planes[k] & below) | ((part->planes[k] >> 1) & ~below);
        holes = (holes >> 1) & ~below;
    }
    return moved;
}

// A bit for each column of the team's board that is not empty.
FN u32 columns_of_team(const Part *part) {
    u32 cells = occupied_in(part), columns = 0;
    UNROLL for (u32 i = 0; i < 2; i++) {
        u32 votes = votes_of_team(cells >> (16 * i) & 1);
        votes = (votes | votes << 4) & 0x0f0f;
        votes = (votes | votes << 2) & 0x3333;
        columns |= ((votes | votes << 1) & 0x5555) << i;
    }
    return columns;
}

// The cells that have moved, that have met one of their colour that has, or that are
// about to because there are empty columns between them. No other group has changed.
FN u32 changed(const Part *part, u32 moved, u32 columns) {
    u32 lane = lane_of_team(), above, right;
    alike(part, &above, &right);
    u32 next = of_lane(moved, lane + 1), left = of_lane(right & moved, lane - 1);
    u32 cells = moved | (above & (moved >> 1)) | (right & from_right(moved, next)) |
                from_left(left, right & moved);
    u32 empty = ~columns & ((1u << (32 - __clz(columns))) - 1);
    empty |= empty << 1 | empty >> 1;
    if (empty >> (2 * lane) & 1) cells |= LEFT_COLUMN;
    if (empty >> (2 * lane + 1) & 1) cells |= ~LEFT_COLUMN;
    return cells;
}

// The part of a word that stays where it is when an empty column goes.
FN u32 staying(u32 empty, u32 w) {
    return empty >= 2 * w + 2 ? ~0u : empty == 2 * w + 1 ? LEFT_COLUMN : 0;
}

// Moves columns together, and the cells of listed groups with them.
FN void close_part(Part *part, Team *team, u64 listed, u32 columns, u32 *covered) {
    u32 lane = lane_of_team();
    while (__any_sync(WARP, columns & (columns + 1))) {
        bool some = columns & (columns + 1);
        // Where there is nothing to do all columns stay.
        u32 empty = some ? __ffs(~columns) - 1 : 2 * TEAM, stay = staying(empty, lane);
        UNROLL for (u32 k = 0; k < PLANES; k++) {
            u32 next = of_lane(part->planes[k], lane + 1);
            part->planes[k] =
                (part->planes[k] & stay) | (from_right(part->planes[k], next) & ~stay);
        }
        u32 next = of_lane(*covered, lane + 1);
        *covered = (*covered & stay) | (from_right(*covered, next) & ~stay);
        u64 origin = of_lane_wide(part->origins[0], lane + 1);
        if (2 * lane >= empty) part->origins[0] = part->origins[1];
        if (2 * lane + 1 >= empty) part->origins[1] = origin;
        for (u32 place = lane; some && place < CHOICES; place += TEAM) {
            if (!(listed >> place & 1)) continue;
            u32 here = team->groups[0][place], first = NOTHING;
            UNROLL for (u32 w = 0; w < WORDS; w++) {
                u32 right = w + 1 < WORDS ? team->groups[w + 1][place] : 0;
                u32 stays = staying(empty, w);
                u32 cells = (here & stays) | (from_right(here, right) & ~stays);
                team->groups[w][place] = cells;
                if (cells && first == NOTHING) first = w * 32 + __ffs(cells) - 1;
                here = right;
            }
            u32 about = team->about[place];
            team->about[place] = (about & 0xfffff) | first << 20;
        }
        u32 below = (1u << (empty % 32)) - 1;
        columns = some ? (columns & below) | (columns >> 1 & ~below) : columns;
    }
    __syncwarp();
}
