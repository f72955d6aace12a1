//! Which functions are known by their names.

/// Functions that neither change what a program can see nor need a body: their results are arbitrary.
pub(super) const HARMLESS: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "putchar",
    "putc",
    "fputs",
    "fputc",
    "putchar_unlocked",
    "fflush",
    "perror",
    "setbuf",
    "setvbuf",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "sched_yield",
    "syslog",
    "__builtin_prefetch",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_setconcurrency",
    "fclose",
    "isatty",
    "getpid",
    "getppid",
    "clock",
    "ftell",
    "feof",
    "ferror",
];

/// Functions that change control or memory in ways that are not modelled.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("setjmp", "setjmp"),
    ("_setjmp", "setjmp"),
    ("__sigsetjmp", "setjmp"),
    ("sigsetjmp", "setjmp"),
    ("longjmp", "setjmp"),
    ("siglongjmp", "setjmp"),
    ("__builtin_setjmp", "setjmp"),
    ("__builtin_longjmp", "setjmp"),
    ("fork", "fork"),
    ("vfork", "fork"),
    ("qsort", "callback"),
    ("qsort_r", "callback"),
    ("bsearch", "callback"),
    ("getcontext", "setjmp"),
    ("setcontext", "setjmp"),
    ("makecontext", "setjmp"),
    ("swapcontext", "setjmp"),
    ("raise", "signal"),
    ("signal", "signal"),
    ("sigaction", "signal"),
    ("atexit", "atexit"),
    ("on_exit", "atexit"),
    ("at_quick_exit", "atexit"),
    ("thrd_exit", "thread-function"),
    ("thrd_detach", "thread-function"),
    ("mtx_trylock", "thread-function"),
    ("mtx_timedlock", "thread-function"),
    ("cnd_wait", "thread-function"),
    ("cnd_timedwait", "thread-function"),
    ("cnd_signal", "thread-function"),
    ("cnd_broadcast", "thread-function"),
    ("call_once", "thread-function"),
    ("pthread_self", "thread-function"),
];

/// Whether an object is one of the streams that the library defines.
pub(crate) fn is_stream(name: &str) -> bool {
    matches!(name, "stdin" | "stdout" | "stderr")
}

/// Whether a call of an undeclared function of this name is understood.
pub(crate) fn is_known(name: &str) -> bool {
    HARMLESS.contains(&name)
        || is_nondet(name)
        || unsupported_code(name).is_some()
        || matches!(
            name.strip_prefix("__builtin_").unwrap_or(name),
            "assume"
                | "assert"
                | "abort"
                | "exit"
                | "_exit"
                | "_Exit"
                | "quick_exit"
                | "trap"
                | "malloc"
                | "calloc"
                | "realloc"
                | "free"
                | "memcpy"
                | "memmove"
                | "memset"
                | "bzero"
                | "mempcpy"
                | "rand"
                | "random"
                | "getchar"
                | "getchar_unlocked"
                | "getc"
                | "fgetc"
                | "scanf"
                | "alloca"
                | "expect"
                | "expect_with_probability"
                | "constant_p"
                | "object_size"
                | "unreachable"
                | "inf"
                | "inff"
                | "huge_val"
                | "huge_valf"
                | "nan"
                | "nanf"
                | "isnan"
                | "isinf"
                | "fabs"
                | "fabsf"
        )
        || name.strip_prefix("__builtin_").is_some_and(super::builtins::is_overflow)
        || matches!(
            name,
            "__builtin_va_start"
                | "__builtin_va_copy"
                | "__builtin_va_end"
                | "__VERIFIER_assume"
                | "__ESBMC_assume"
                | "__CPROVER_assume"
                | "__VERIFIER_assert"
                | "__ESBMC_assert"
                | "__CPROVER_assert"
                | "__VERIFIER_error"
                | "__VERIFIER_ltl_step"
                | "__VERIFIER_atomic_begin"
                | "__VERIFIER_atomic_end"
                | "__ESBMC_atomic_begin"
                | "__ESBMC_atomic_end"
                | "__assert_fail"
                | "__assert_perror_fail"
                | "__assert"
        )
        || crate::lower::threads::is_thread_function(name)
}

pub(super) fn is_nondet(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") || name.starts_with("__ESBMC_nondet_")
}

pub(super) fn unsupported_code(name: &str) -> Option<&'static str> {
    if name.starts_with("__sync_") || name.starts_with("__atomic_") || name.starts_with("__c11_atomic") {
        return Some("unsupported-atomic");
    }
    let (_, kind) = UNSUPPORTED.iter().find(|(known, _)| *known == name)?;
    Some(match *kind {
        "setjmp" => "unsupported-setjmp",
        "callback" => "unsupported-callback",
        "signal" => "unsupported-signal",
        "atexit" => "unsupported-atexit",
        "fork" => "unsupported-fork",
        _ => "unsupported-thread-function",
    })
}
