/* The part of a generated explorer that is the same for all programs. What comes before it defines:
   V (the type in which numbers are computed), U (the same without a sign), IDEAL, struct S (a state, with the fields `at` and `last`), ATOM_COUNT,
   STATES (of the automaton), ALL (its acceptance sets), the tables of its edges, COUNTS_REPETITIONS, MOST_STATES,
   MOST_MEMORY. What comes after it defines start() and run(), which execute the program. */

static struct S w; /* the state that the program is in */
static jmp_buf undefined_behaviour;

static __attribute__((noreturn)) void not_covered(const char *reason, int edge) {
    printf("not-covered %d %s\n", edge, reason);
    exit(0);
}
static __attribute__((noreturn)) void undefined(void) { longjmp(undefined_behaviour, 1); }

/* ---- numbers ---- */

#define INLINE static inline __attribute__((always_inline))

INLINE int fits(V v, int bits, int is_signed) {
    if (is_signed) return v >= -((V)1 << (bits - 1)) && v <= ((V)1 << (bits - 1)) - 1;
    return v >= 0 && v <= ((((V)1 << (bits - 1)) - 1) << 1 | 1);
}
INLINE V wrapped(V v, int bits, int is_signed) {
    unsigned long long low = (unsigned long long)v;
    if (bits < 64) low &= (1ULL << bits) - 1;
    if (is_signed && low >> (bits - 1) & 1) return (V)(long long)(bits < 64 ? low | ~0ULL << bits : low);
    return (V)low;
}
INLINE V into_range(V v, int bits, int is_signed) {
    if (IDEAL || fits(v, bits, is_signed)) return v;
    if (is_signed) OVERFLOWED = 1;
    return wrapped(v, bits, is_signed);
}
INLINE V converted(V v, int bits, int is_signed) {
    return IDEAL || fits(v, bits, is_signed) ? v : wrapped(v, bits, is_signed);
}
static __attribute__((noreturn)) void too_large(void) { not_covered("a number is too large", -1); }
INLINE V add(V a, V b, int bits, int is_signed) {
    V v;
    if (__builtin_add_overflow(a, b, &v)) too_large();
    return into_range(v, bits, is_signed);
}
INLINE V subtract(V a, V b, int bits, int is_signed) {
    V v;
    if (__builtin_sub_overflow(a, b, &v)) too_large();
    return into_range(v, bits, is_signed);
}
INLINE V multiply(V a, V b, int bits, int is_signed) {
    V v;
    if (!IDEAL && !is_signed) return wrapped((V)((unsigned long long)a * (unsigned long long)b), bits, 0);
    if (__builtin_mul_overflow(a, b, &v)) too_large();
    return into_range(v, bits, is_signed);
}
INLINE V divide(V a, V b, int bits, int is_signed) {
    if (b == 0) undefined();
    V v;
    if (b != -1) v = a / b;
    else if (__builtin_sub_overflow((V)0, a, &v)) too_large();
    if (!IDEAL && !fits(v, bits, is_signed)) undefined();
    return v;
}
INLINE V remainder_of(V a, V b, int bits, int is_signed) {
    if (b == 0) undefined();
    if (b == -1) { divide(a, b, bits, is_signed); return 0; }
    return a % b;
}
INLINE V shift_left(V a, V b, int bits, int is_signed) {
    if (b < 0 || (!IDEAL && b >= bits)) undefined();
    if (IDEAL && b > 100) too_large();
    V v;
    if (__builtin_mul_overflow(a, (V)1 << (int)b, &v)) too_large();
    return into_range(v, bits, is_signed);
}
INLINE V shift_right(V a, V b, int bits) {
    if (b < 0 || (!IDEAL && b >= bits)) undefined();
    if (b >= 8 * (int)sizeof(V)) return a < 0 ? -1 : 0;
    return a >> (int)b;
}
INLINE V negate(V a, int bits, int is_signed) {
    V v;
    if (__builtin_sub_overflow((V)0, a, &v)) too_large();
    return into_range(v, bits, is_signed);
}
INLINE int in_bounds(V index, V length) { return 0 <= index && index < length; }
INLINE V stored(V v) {
    if (IDEAL && v != (V)(long long)v) too_large();
    return v;
}

/* ---- memory ---- */

static unsigned long long held;
static void *grown(void *old, size_t old_bytes, size_t bytes) {
    held += bytes - old_bytes;
    void *new = held > MOST_MEMORY ? 0 : realloc(old, bytes);
    if (!new) {
        printf("exhausted\n");
        exit(0);
    }
    memset((char *)new + old_bytes, 0, bytes - old_bytes);
    return new;
}
#define ROOM(array, capacity, needed) do { \
        if ((needed) > (capacity)) { \
            size_t more = (capacity) ? 2 * (size_t)(capacity) : 1024; \
            while (more < (needed)) more *= 2; \
            (array) = grown((array), (capacity) * sizeof *(array), more * sizeof *(array)); \
            (capacity) = more; \
        } \
    } while (0)

static unsigned long long hash_of(const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    unsigned long long hash = 0x9e3779b97f4a7c15ULL ^ count;
    while (count) {
        unsigned long long word = 0;
        size_t part = count < 8 ? count : 8;
        memcpy(&word, at, part);
        hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
        hash ^= hash >> 32;
        at += part;
        count -= part;
    }
    return hash ^ hash >> 29;
}

/* ---- choices: all lists of answers, one after the other ---- */

#define MOST_CHOICES 256
static unsigned choice[MOST_CHOICES], alternatives[MOST_CHOICES], chosen, recorded;
static unsigned choose(unsigned count) {
    if (chosen == recorded) {
        if (recorded == MOST_CHOICES) not_covered("too many choices in one step", -1);
        choice[recorded] = 0;
        alternatives[recorded++] = count;
    }
    return choice[chosen++];
}
static int next_choices(void) {
    while (recorded && choice[recorded - 1] + 1 == alternatives[recorded - 1]) recorded--;
    if (recorded) choice[recorded - 1]++;
    return recorded != 0;
}

/* ---- words of letters ---- */

typedef unsigned long long Letter;
static Letter *word;
static size_t word_length, word_room;
static int is_first_letter = 1;
static void see(Letter letter) {
    if (COUNTS_REPETITIONS || is_first_letter || letter != w.last) {
        ROOM(word, word_room, word_length + 1);
        word[word_length++] = letter;
    }
    is_first_letter = 0;
    w.last = letter;
}

typedef struct { unsigned state; unsigned long long marks; } Move;
typedef struct { Move *moves; unsigned count; int is_known; } Moves;
typedef struct { size_t start, length; unsigned long long hash; Moves *moves; } Word;
static Word *words;
static size_t word_count, words_room;
static Letter *letters;
static size_t letter_count, letters_room;
static unsigned *word_table;
static size_t word_slots;

static unsigned word_number(void) {
    if (2 * (word_count + 1) > word_slots) {
        size_t old = word_slots;
        word_slots = old ? 2 * old : 1024;
        word_table = grown(word_table, old * sizeof *word_table, word_slots * sizeof *word_table);
        memset(word_table, 0, word_slots * sizeof *word_table);
        for (size_t i = 0; i < word_count; i++) {
            size_t slot = words[i].hash & (word_slots - 1);
            while (word_table[slot]) slot = (slot + 1) & (word_slots - 1);
            word_table[slot] = i + 1;
        }
    }
    unsigned long long hash = hash_of(word, word_length * sizeof *word);
    size_t slot = hash & (word_slots - 1);
    for (; word_table[slot]; slot = (slot + 1) & (word_slots - 1)) {
        Word *known = &words[word_table[slot] - 1];
        if (known->hash == hash && known->length == word_length
            && !memcmp(letters + known->start, word, word_length * sizeof *word))
            return word_table[slot] - 1;
    }
    ROOM(words, words_room, word_count + 1);
    ROOM(letters, letters_room, letter_count + word_length);
    memcpy(letters + letter_count, word, word_length * sizeof *word);
    Moves *moves = grown(0, 0, STATES * sizeof *moves);
    words[word_count] = (Word){letter_count, word_length, hash, moves};
    letter_count += word_length;
    word_table[slot] = ++word_count;
    return word_count - 1;
}

static int guard_holds(unsigned edge, Letter letter) {
    for (unsigned cube = edge_cubes[edge]; cube < edge_cubes[edge + 1]; cube++)
        if ((letter & cubes[cube][0]) == cubes[cube][0] && !(letter & cubes[cube][1])) return 1;
    return 0;
}

static Move *ways, *next_ways;
static size_t way_count, ways_room, next_room;
static size_t add_move(Move **moves, size_t *room, size_t count, unsigned state, unsigned long long marks) {
    for (size_t i = 0; i < count; i++)
        if ((*moves)[i].state == state && (*moves)[i].marks == marks) return count;
    ROOM(*moves, *room, count + 1);
    (*moves)[count] = (Move){state, marks};
    return count + 1;
}

/* Where the automaton may be after a word, and what it has visited meanwhile. */
static Moves *read_word(unsigned number, unsigned state) {
    Moves *known = &words[number].moves[state];
    if (known->is_known) return known;
    way_count = add_move(&ways, &ways_room, 0, state, 0);
    for (size_t i = 0; i < words[number].length; i++) {
        Letter letter = letters[words[number].start + i];
        size_t next = 0;
        for (size_t j = 0; j < way_count; j++)
            for (unsigned edge = first_edge[ways[j].state]; edge < first_edge[ways[j].state + 1]; edge++)
                if (guard_holds(edge, letter))
                    next = add_move(&next_ways, &next_room, next, edge_to[edge], ways[j].marks | edge_marks[edge]);
        Move *swap = ways;
        size_t swap_room = ways_room;
        ways = next_ways, ways_room = next_room, next_ways = swap, next_room = swap_room;
        way_count = next;
    }
    known->moves = grown(0, 0, (way_count + 1) * sizeof(Move));
    memcpy(known->moves, ways, way_count * sizeof(Move));
    known->count = way_count;
    known->is_known = 1;
    return known;
}

/* By letter: from which states the automaton accepts it for ever. */
static struct { Letter letter; unsigned char accepts[STATES]; } *for_ever;
static size_t for_ever_count, for_ever_room;
static int accepts_for_ever(unsigned state, Letter letter) {
    for (size_t i = for_ever_count; i--;)
        if (for_ever[i].letter == letter) return for_ever[i].accepts[state];
    static unsigned char reaches[STATES][STATES], is_accepting[STATES];
    memset(reaches, 0, sizeof reaches);
    for (unsigned q = 0; q < STATES; q++)
        for (unsigned edge = first_edge[q]; edge < first_edge[q + 1]; edge++)
            if (guard_holds(edge, letter)) reaches[q][edge_to[edge]] = 1;
    for (unsigned k = 0; k < STATES; k++)
        for (unsigned i = 0; i < STATES; i++)
            if (reaches[i][k])
                for (unsigned j = 0; j < STATES; j++) reaches[i][j] |= reaches[k][j];
    for (unsigned q = 0; q < STATES; q++) {
        unsigned long long marks = 0;
        if (reaches[q][q])
            for (unsigned p = 0; p < STATES; p++)
                if (p == q || (reaches[q][p] && reaches[p][q]))
                    for (unsigned edge = first_edge[p]; edge < first_edge[p + 1]; edge++) {
                        unsigned to = edge_to[edge];
                        if ((to == q || reaches[to][q]) && guard_holds(edge, letter)) marks |= edge_marks[edge];
                    }
        is_accepting[q] = reaches[q][q] && (marks & ALL) == ALL;
    }
    ROOM(for_ever, for_ever_room, for_ever_count + 1);
    for_ever[for_ever_count].letter = letter;
    for (unsigned q = 0; q < STATES; q++) {
        unsigned char accepts = is_accepting[q];
        for (unsigned p = 0; p < STATES; p++) accepts |= reaches[q][p] && is_accepting[p];
        for_ever[for_ever_count].accepts[q] = accepts;
    }
    return for_ever[for_ever_count++].accepts[state];
}

/* ---- states: every different one once ---- */

static struct S *states;
static size_t state_count, states_room;
static unsigned *state_table;
static size_t state_slots;

static unsigned state_number(void) {
    if (2 * (state_count + 1) > state_slots) {
        size_t old = state_slots;
        state_slots = old ? 2 * old : 1 << 16;
        state_table = grown(state_table, old * sizeof *state_table, state_slots * sizeof *state_table);
        memset(state_table, 0, state_slots * sizeof *state_table);
        for (size_t i = 0; i < state_count; i++) {
            size_t slot = hash_of(&states[i], sizeof w) & (state_slots - 1);
            while (state_table[slot]) slot = (slot + 1) & (state_slots - 1);
            state_table[slot] = i + 1;
        }
    }
    size_t slot = hash_of(&w, sizeof w) & (state_slots - 1);
    for (; state_table[slot]; slot = (slot + 1) & (state_slots - 1))
        if (!memcmp(&states[state_table[slot] - 1], &w, sizeof w)) return state_table[slot] - 1;
    ROOM(states, states_room, state_count + 1);
    states[state_count] = w;
    state_table[slot] = ++state_count;
    return state_count - 1;
}

/* ---- transitions of the program ---- */

enum { NEXT, ENDED, BLOCKED };
static int start(void);
static int run(void);

#define NOWHERE 0xffffffffu
typedef struct { unsigned word, to; } Transition;
static Transition *transitions;
static size_t transition_count, transitions_room;
/* For each state where its transitions begin, plus one; 0 where they are not known yet. */
static struct { size_t start; unsigned count; } *successors;
static size_t successors_room;

static void expand(unsigned state) {
    ROOM(successors, successors_room, state + 1u);
    if (successors[state].start) return;
    size_t begin = transition_count;
    chosen = recorded = 0;
    do {
        w = states[state];
        word_length = 0;
        chosen = 0;
        int end = run();
        if (end == BLOCKED) continue;
        unsigned number = word_number();
        unsigned to = end == ENDED ? NOWHERE : state_number();
        int is_new = 1;
        for (size_t i = begin; i < transition_count && is_new; i++)
            is_new = transitions[i].word != number || transitions[i].to != to;
        if (!is_new) continue;
        ROOM(transitions, transitions_room, transition_count + 1);
        transitions[transition_count++] = (Transition){number, to};
    } while (next_choices());
    ROOM(successors, successors_room, state_count);
    successors[state].start = begin + 1;
    successors[state].count = transition_count - begin;
}

/* ---- the product: no accepting component (Couvreur, FM 1999; Tarjan 1972) ---- */

#define SILENT STATES

/* That something is read, as one more acceptance set: a cycle on which nothing is read is no infinite word. */
#define PROGRESS (1ULL << 63)
#define WHOLE (ALL | PROGRESS)
#define WIDTH (STATES + 1)
#define DONE 0xffffffffu
static unsigned *visited; /* by state and state of the automaton */
static size_t visited_room;
static unsigned clock_;
static unsigned long long product_transitions, product_states;
static struct Frame { unsigned state, automaton, transition, move; } *path;
static size_t path_length, path_room;
static struct { unsigned number; unsigned long long inside, entering; } *roots;
static size_t root_count, roots_room;
static struct { unsigned state, automaton; } *live;
static size_t live_count, live_room;

static void accepting(const char *how, unsigned state) {
    printf("accepting %u %s\n", state == NOWHERE ? 0 : (unsigned)states[state].at, how);
    exit(0);
}

static unsigned *visit_of(unsigned state, unsigned automaton) {
    size_t index = (size_t)state * WIDTH + automaton;
    ROOM(visited, visited_room, index + 1);
    return &visited[index];
}

static void enter(unsigned state, unsigned automaton, unsigned long long marks) {
    if (++product_states > MOST_STATES) {
        printf("too-large\n");
        exit(0);
    }
    expand(state);
    *visit_of(state, automaton) = ++clock_;
    ROOM(path, path_room, path_length + 1);
    path[path_length++] = (struct Frame){state, automaton, 0, 0};
    ROOM(roots, roots_room, root_count + 1);
    roots[root_count].number = clock_;
    roots[root_count].inside = 0;
    roots[root_count++].entering = marks;
    ROOM(live, live_room, live_count + 1);
    live[live_count].state = state;
    live[live_count++].automaton = automaton;
}

static void follow(unsigned state, unsigned automaton, unsigned long long marks) {
    product_transitions++;
    unsigned number = *visit_of(state, automaton);
    if (number == DONE) return;
    if (number == 0) {
        enter(state, automaton, marks);
        return;
    }
    while (roots[root_count - 1].number > number) {
        marks |= roots[root_count - 1].inside | roots[root_count - 1].entering;
        root_count--;
    }
    roots[root_count - 1].inside |= marks;
    if ((roots[root_count - 1].inside & WHOLE) == WHOLE) accepting("a cycle of the product is accepting", state);
}

static Letter last_letter(unsigned state, unsigned number) {
    Word *read = &words[number];
    return read->length ? letters[read->start + read->length - 1] : states[state].last;
}

/* Follows one more edge from the end of the path; whether there was one. */
static int advance(void) {
    struct Frame *top = &path[path_length - 1];
    while (top->transition < successors[top->state].count) {
        Transition taken = transitions[successors[top->state].start - 1 + top->transition];
        int is_silent = words[taken.word].length == 0;
        if (top->automaton == SILENT) {
            top->transition++;
            if (!is_silent || taken.to == NOWHERE) continue;
            follow(taken.to, SILENT, WHOLE);
            return 1;
        }
        Moves *moves = read_word(taken.word, top->automaton);
        if (taken.to == NOWHERE) {
            top->transition++;
            Letter letter = last_letter(top->state, taken.word);
            for (unsigned i = 0; i < moves->count; i++)
                if (accepts_for_ever(moves->moves[i].state, letter))
                    accepting("an execution ends, or does nothing any more, and is accepted", top->state);
            continue;
        }
        if (top->move < moves->count) {
            Move move = moves->moves[top->move++];
            follow(taken.to, move.state, is_silent ? move.marks : move.marks | PROGRESS);
            return 1;
        }
        unsigned automaton = top->automaton;
        Letter letter = states[top->state].last;
        top->transition++;
        top->move = 0;
        if (is_silent && accepts_for_ever(automaton, letter)) {
            follow(taken.to, SILENT, 0);
            return 1;
        }
    }
    return 0;
}

static void search(unsigned state, unsigned automaton) {
    if (*visit_of(state, automaton)) return;
    enter(state, automaton, 0);
    while (path_length) {
        if (advance()) continue;
        struct Frame top = path[--path_length];
        unsigned number = *visit_of(top.state, top.automaton);
        if (roots[root_count - 1].number != number) continue;
        root_count--;
        for (;;) {
            live_count--;
            unsigned member = live[live_count].state, beside = live[live_count].automaton;
            *visit_of(member, beside) = DONE;
            if (member == top.state && beside == top.automaton) break;
        }
    }
}

int main(void) {
    memset(&w, 0, sizeof w);
    int end = start();
    unsigned number = word_number();
    unsigned first = end == NEXT ? state_number() : NOWHERE;
    for (unsigned i = 0; i < sizeof initial / sizeof *initial; i++) {
        if (initial[i] == NOWHERE) continue;
        Moves *moves = read_word(number, initial[i]);
        for (unsigned j = 0; j < moves->count; j++) {
            if (first != NOWHERE) search(first, moves->moves[j].state);
            else if (end == ENDED && accepts_for_ever(moves->moves[j].state, w.last))
                accepting("an execution ends at once and is accepted", NOWHERE);
        }
    }
    printf("empty %llu %llu %zu\n", product_states, product_transitions, state_count);
    return 0;
}
