/* What probes call: writes down which atoms hold, in the order in which the program comes to them, and ends the program
   when as much was written as is wanted. It is compiled apart from the user's program, whose names it does not see; the
   tables beside it are generated (driver.rs). One line of the trace is: what happened, its number, the thread, and for
   each atom 1, 0, or ? where it cannot be said. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SEMPER_STATE, SEMPER_CALL, SEMPER_OVERFLOW, SEMPER_END, SEMPER_ERROR, SEMPER_DEADLOCK };

extern const int semper_atom_count;
extern const int semper_atom_kind[], semper_atom_frame[];
extern int (*const semper_atom[])(void);
extern const int semper_frame_count, semper_entry_frame;
extern const int semper_local_count;
extern const int semper_local_frame[];
extern const unsigned long semper_limit;
extern const unsigned char semper_schedule[], semper_ends[];
extern const int semper_has_threads;
extern const char semper_trace[];
extern const int semper_queue_start[];
extern const unsigned long long semper_values[];
extern const unsigned long semper_times[];
extern void semper_start(void);

struct semper_frame { int number; void *before[SEMPER_LOCALS + 1]; };

void *semper_locals[SEMPER_LOCALS + 1];
int semper_active[SEMPER_FRAMES + 1];

static int semper_file;
static char semper_buffer[1 << 16];
static unsigned long semper_filled, semper_count;
static int semper_queue_position[SEMPER_QUEUES + 1];
static int semper_began;
static __thread int semper_thread;
static __thread sigjmp_buf semper_back;
static __thread volatile int semper_looking;
static pthread_mutex_t semper_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t semper_changed = PTHREAD_COND_INITIALIZER;
static int semper_threads = 1;

static void semper_flush(void) {
    unsigned long done = 0;
    while (done < semper_filled) {
        long written = write(semper_file, semper_buffer + done, semper_filled - done);
        if (written <= 0) break;
        done += written;
    }
    semper_filled = 0;
}

static void semper_stop(void) {
    semper_flush();
    _exit(0);
}

static void semper_put(char character) {
    if (semper_filled == sizeof semper_buffer) semper_flush();
    semper_buffer[semper_filled++] = character;
}

static void semper_put_number(int number) {
    char digits[16];
    int count = 0;
    do { digits[count++] = '0' + number % 10; number /= 10; } while (number);
    while (count) semper_put(digits[--count]);
    semper_put(' ');
}

/* The truth of an atom over the state; false where its evaluation is undefined. */
static char semper_truth(int atom) {
    int truth = 0;
    if (sigsetjmp(semper_back, 1) == 0) {
        semper_looking = 1;
        truth = semper_atom[atom]();
    }
    semper_looking = 0;
    return truth == 0 ? '0' : truth == 1 ? '1' : '?';
}

static void semper_write(char kind, int number) {
    semper_put(kind);
    semper_put(' ');
    semper_put_number(number);
    semper_put_number(semper_thread);
    for (int atom = 0; atom < semper_atom_count; atom++) {
        int frame = semper_atom_frame[atom], truth = '0';
        switch (semper_atom_kind[atom]) {
            case SEMPER_STATE: truth = semper_truth(atom); break;
            case SEMPER_CALL:
                if (kind == 'C' ? number == frame : kind == 'B' && frame == semper_entry_frame) truth = '1';
                break;
            case SEMPER_OVERFLOW: truth = '?'; break;
            case SEMPER_END: if (kind == 'E') truth = '1'; break;
            case SEMPER_ERROR: if (kind == 'X') truth = '1'; break;
        }
        semper_put(truth);
    }
    semper_put('\n');
}

/* A thread that ends runs to its end after its last turn, so that others can wait for that; any other one is held. */
static int semper_is_held(void) {
    if (!semper_ends[semper_thread]) return 1;
    for (unsigned long at = semper_count; at < semper_limit; at++)
        if (semper_schedule[at] == semper_thread) return 1;
    return 0;
}

static void semper_await_turn(void) {
    while (semper_schedule[semper_count] != semper_thread) pthread_cond_wait(&semper_changed, &semper_lock);
}

/* Between two observations one thread runs: the one that comes to the second of them in the recorded schedule. */
static void semper_record(char kind, int number) {
    if (semper_has_threads) {
        pthread_mutex_lock(&semper_lock);
        semper_await_turn();
    }
    semper_write(kind, number);
    if (++semper_count >= semper_limit) semper_stop();
    if (semper_has_threads) {
        pthread_cond_broadcast(&semper_changed);
        if (semper_is_held()) semper_await_turn();
        pthread_mutex_unlock(&semper_lock);
    }
}

/* What happens outside of the recorded execution ends it. */
static void semper_break_off(char kind, int number) {
    semper_write(kind, number);
    semper_stop();
}

void semper_probe(int site) { semper_record('P', site); }

int semper_condition(int truth, int site) {
    semper_record('P', site);
    return truth;
}

void *semper_probe_pointer(int site) {
    semper_record('P', site);
    return 0;
}

void *semper_note(int local, void *address) {
    semper_locals[local] = address;
    return 0;
}

struct semper_frame semper_enter(int number) {
    struct semper_frame frame;
    frame.number = number;
    for (int local = 0; local < semper_local_count; local++) {
        frame.before[local] = semper_locals[local];
        if (semper_local_frame[local] == number) semper_locals[local] = 0;
    }
    semper_active[number]++;
    return frame;
}

void semper_finish(void) { semper_record('E', 0); semper_stop(); }

void semper_entered(int number) {
    if (number == semper_entry_frame && !semper_began) { semper_began = 1; return; }
    for (int atom = 0; atom < semper_atom_count; atom++)
        if (semper_atom_kind[atom] == SEMPER_CALL && semper_atom_frame[atom] == number) {
            semper_record('C', number);
            return;
        }
}

void semper_leave(struct semper_frame *frame) {
    /* The locals of the entry function are observed at the end too. */
    if (frame->number == semper_entry_frame && semper_active[frame->number] == 1) semper_finish();
    semper_active[frame->number]--;
    for (int local = 0; local < semper_local_count; local++)
        if (semper_local_frame[local] == frame->number) semper_locals[local] = frame->before[local];
}

unsigned long long semper_input(int queue) {
    int at = semper_queue_start[queue] + semper_queue_position[queue]++;
    if (at >= semper_queue_start[queue + 1]) semper_break_off('I', queue);
    return semper_values[at];
}

/* The recorded value that was asked for next, from here on; another lifetime may ask for the same. */
unsigned long long semper_uninitialised(int queue) {
    for (int at = semper_queue_start[queue]; at < semper_queue_start[queue + 1]; at++)
        if (semper_times[at] >= semper_count) return semper_values[at];
    return 0;
}

double semper_uninitialised_double(int queue) {
    unsigned long long bits = semper_uninitialised(queue);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void *semper_uninitialised_pointer(int queue) { return (void *)(unsigned long)semper_uninitialised(queue); }

void semper_assertion(int holds) { if (!holds) semper_finish(); }
void semper_assumption(int holds) { if (!holds) semper_break_off('A', 0); }
void semper_called(int frame) {
    for (int atom = 0; atom < semper_atom_count; atom++)
        if (semper_atom_kind[atom] == SEMPER_CALL && semper_atom_frame[atom] == frame) {
            semper_record('C', frame);
            return;
        }
}

/* Threads have the numbers of the order in which they are created. */
struct semper_begin { int thread; void *(*function)(void *); void *argument; };

static void *semper_run(void *given) {
    struct semper_begin begin = *(struct semper_begin *)given;
    semper_thread = begin.thread;
    pthread_mutex_lock(&semper_lock);
    if (semper_is_held()) semper_await_turn();
    pthread_mutex_unlock(&semper_lock);
    return begin.function(begin.argument);
}

int semper_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    static struct semper_begin begins[256];
    if (semper_threads >= 256) semper_break_off('T', 0);
    struct semper_begin *begin = &begins[semper_threads];
    begin->thread = semper_threads++;
    begin->function = function;
    begin->argument = argument;
    return pthread_create(handle, 0, semper_run, begin);
}

static void semper_signal(int signal) {
    /* Whoever lost patience still wants to know how far it came. */
    if (signal == SIGTERM) semper_stop();
    if (semper_looking) siglongjmp(semper_back, 1);
    semper_break_off('X', signal);
}

int main(void) {
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = semper_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM};
    semper_file = open(semper_trace, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (semper_file < 0) return 99;
    sigaltstack(&other, 0);
    for (unsigned at = 0; at < sizeof signals / sizeof *signals; at++) sigaction(signals[at], &action, 0);
    semper_record('B', 0);
    semper_start();
    semper_finish();
    return 0;
}
