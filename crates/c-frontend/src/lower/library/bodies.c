typedef __typeof__(sizeof(0)) size_t;

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n]) n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t most)
{
    size_t i = 0;
    while (i < most && a[i] && a[i] == b[i]) i++;
    if (i == most) return 0;
    return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
}

int memcmp(const void *left, const void *right, size_t count)
{
    const unsigned char *a = left, *b = right;
    int result = 0;
    size_t i;
    /* Both objects must have all of the bytes, wherever they differ. */
    for (i = 0; i < count; i++)
        if (a[i] != b[i] && !result) result = (int)a[i] - (int)b[i];
    return result;
}

/* Two ranges of bytes overlap where the beginning of one is among the bytes of the other. Copying between them is
   undefined, as it is to copy a byte onto itself. */
char *strcpy(char *to, const char *from)
{
    size_t i = 0;
    for (;;) {
        if (to + i == from || from + i == to) __builtin_memcpy(to, to, 1);
        if (!(to[i] = from[i])) return to;
        i++;
    }
}

char *strncpy(char *to, const char *from, size_t most)
{
    size_t i = 0;
    while (i < most && from[i]) {
        if (to + i == from || from + i == to) __builtin_memcpy(to, to, 1);
        to[i] = from[i];
        i++;
    }
    while (i < most) { to[i] = 0; i++; }
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t most)
{
    size_t end = strlen(to), i = 0;
    while (i < most && from[i]) {
        if (to + end + i == from || from + i == to + end) __builtin_memcpy(to, to, 1);
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    return to;
}

char *strchr(const char *s, int wanted)
{
    char c = (char)wanted;
    while (*s != c) {
        if (!*s) return 0;
        s++;
    }
    return (char *)s;
}

char *strrchr(const char *s, int wanted)
{
    char c = (char)wanted;
    const char *found = 0;
    do {
        if (*s == c) found = s;
    } while (*s++);
    return (char *)found;
}

void *memchr(const void *memory, int wanted, size_t count)
{
    const unsigned char *s = memory;
    size_t i;
    for (i = 0; i < count; i++)
        if (s[i] == (unsigned char)wanted) return (void *)(s + i);
    return 0;
}

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isprint(int c) { return c >= 32 && c < 127; }
int toupper(int c) { return islower(c) ? c - 'a' + 'A' : c; }
int tolower(int c) { return isupper(c) ? c - 'A' + 'a' : c; }

/* What the macros of <ctype.h> in the GNU C library look at: one bit per class, from -128 on. */
const unsigned short **__ctype_b_loc(void)
{
    static const unsigned short classes[384] = {
        [128 + 0 ... 128 + 31] = 0x2, [128 + '\t'] = 0x2003, [128 + '\n' ... 128 + '\r'] = 0x2002,
        [128 + ' '] = 0x6001, [128 + '!' ... 128 + '/'] = 0xc004, [128 + '0' ... 128 + '9'] = 0xd808,
        [128 + ':' ... 128 + '@'] = 0xc004, [128 + 'A' ... 128 + 'F'] = 0xd508, [128 + 'G' ... 128 + 'Z'] = 0xc508,
        [128 + '[' ... 128 + '`'] = 0xc004, [128 + 'a' ... 128 + 'f'] = 0xd608, [128 + 'g' ... 128 + 'z'] = 0xc608,
        [128 + '{' ... 128 + '~'] = 0xc004, [128 + 127] = 0x2
    };
    static const unsigned short *middle = classes + 128;
    return &middle;
}

int atoi(const char *s)
{
    int value = 0, negative = 0;
    while (isspace(*s)) s++;
    if (*s == '+' || *s == '-') negative = *s++ == '-';
    while (isdigit(*s)) value = 10 * value - (*s++ - '0');
    return negative ? value : -value;
}

/* Storage of a size that only the run knows, until its block or its function is left: a stack of objects. */
struct __automatic { struct __automatic *below; void *object; };
void **__automatic_top(void)
{
    static void *automatic_storage;
    return &automatic_storage;
}
void *__automatic_mark(void) { return *__automatic_top(); }
void __automatic_push(void *object)
{
    struct __automatic *entry = __builtin_malloc(sizeof *entry);
    __builtin_assume(object && entry);
    entry->below = *__automatic_top();
    entry->object = object;
    *__automatic_top() = entry;
}
void __automatic_pop(void *mark)
{
    struct __automatic *top = *__automatic_top(), *below;
    while (top != mark) {
        below = top->below;
        __builtin_free(top->object);
        __builtin_free(top);
        top = below;
    }
    *__automatic_top() = top;
}
/* Such storage is not on the heap as far as the program is concerned: freeing it is like freeing a variable. */
void __automatic_check(void *freed)
{
    struct __automatic *top;
    for (top = *__automatic_top(); top; top = top->below)
        if (top->object == freed) __builtin_free(&top);
}

unsigned short __builtin_bswap16(unsigned short x) { return (unsigned short)((x >> 8) | (x << 8)); }
unsigned int __builtin_bswap32(unsigned int x)
{
    return (x >> 24) | ((x >> 8) & 0xff00u) | ((x << 8) & 0xff0000u) | (x << 24);
}
unsigned long long __builtin_bswap64(unsigned long long x)
{
    return ((unsigned long long)__builtin_bswap32((unsigned int)x) << 32) | __builtin_bswap32((unsigned int)(x >> 32));
}

int __builtin_popcount(unsigned int x)
{
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
int __builtin_popcountl(unsigned long x)
{
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
int __builtin_popcountll(unsigned long long x)
{
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
int __builtin_ffs(int x)
{
    int n;
    for (n = 0; n < 32; n++)
        if (((unsigned int)x >> n) & 1) return n + 1;
    return 0;
}
int __builtin_ctz(unsigned int x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> n) & 1)) n++;
    return n;
}
int __builtin_clz(unsigned int x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> (31 - n)) & 1)) n++;
    return n;
}
int __builtin_ctzll(unsigned long long x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> n) & 1)) n++;
    return n;
}
int __builtin_clzll(unsigned long long x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> (63 - n)) & 1)) n++;
    return n;
}

int __builtin_ctzl(unsigned long x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> n) & 1)) n++;
    return n;
}
int __builtin_clzl(unsigned long x)
{
    int n = 0;
    if (!x) __builtin_unreachable();
    while (!((x >> (8 * (int)sizeof x - 1 - n)) & 1)) n++;
    return n;
}
int __builtin_ffsl(long x) { return x ? __builtin_ctzl((unsigned long)x) + 1 : 0; }
int __builtin_ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
int ffs(int x) { return __builtin_ffs(x); }
int __builtin_parity(unsigned int x) { return __builtin_popcount(x) & 1; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountl(x) & 1; }
int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
int __builtin_clrsb(int x) { return x == 0 || x == -1 ? 31 : __builtin_clz((unsigned int)(x < 0 ? ~x : x)) - 1; }
int __builtin_clrsbll(long long x)
{
    return x == 0 || x == -1 ? 63 : __builtin_clzll((unsigned long long)(x < 0 ? ~x : x)) - 1;
}

int isnan(double x) { return x != x; }
int isinf(double x) { return __builtin_isinf(x); }
int __builtin_isfinite(double x) { return x - x == 0; }
int __builtin_isinf(double x) { return x == x && x - x != 0; }
int __builtin_isinf_sign(double x) { return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __builtin_signbit(double x) { return x < 0 || (x == 0 && 1 / x < 0); }

int *__errno_location(void)
{
    static int errno;
    return &errno;
}

/* What every function of the library may do (7.5p3). */
void __errno_changes(void)
{
    *__errno_location() = nondet_errno();
}
