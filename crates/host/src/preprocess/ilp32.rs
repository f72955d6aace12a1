//! The predefined macros of a 32-bit machine, for compilers whose 64-bit headers alone are installed.
//!
//! The values are those of the System V ABI for i386 as gcc and clang predefine them with `-m32`.

/// Flags that replace the macros of a 64-bit machine.
pub(super) fn flags() -> Vec<String> {
    let removed = REMOVED.iter().map(|name| format!("-U{name}"));
    // A predefined macro must be removed before it is defined again, else the compiler warns.
    let replaced = MACROS.iter().flat_map(|(name, value)| {
        let plain = name.split('(').next().unwrap_or(name);
        [format!("-U{plain}"), format!("-D{name}={value}")]
    });
    removed.chain(replaced).collect()
}

const REMOVED: &[&str] =
    &["__x86_64__", "__x86_64", "__amd64__", "__amd64", "__LP64__", "_LP64", "__SIZEOF_INT128__", "__aarch64__"];

const MACROS: &[(&str, &str)] = &[
    ("__i386__", "1"),
    ("__i386", "1"),
    ("__ILP32__", "1"),
    ("_ILP32", "1"),
    ("__SIZEOF_LONG__", "4"),
    ("__SIZEOF_POINTER__", "4"),
    ("__SIZEOF_SIZE_T__", "4"),
    ("__SIZEOF_PTRDIFF_T__", "4"),
    ("__SIZEOF_LONG_DOUBLE__", "12"),
    ("__LONG_MAX__", "0x7fffffffL"),
    ("__LONG_WIDTH__", "32"),
    ("__SIZE_TYPE__", "unsigned int"),
    ("__SIZE_MAX__", "0xffffffffU"),
    ("__SIZE_WIDTH__", "32"),
    ("__PTRDIFF_TYPE__", "int"),
    ("__PTRDIFF_MAX__", "0x7fffffff"),
    ("__PTRDIFF_WIDTH__", "32"),
    ("__INTPTR_TYPE__", "int"),
    ("__INTPTR_MAX__", "0x7fffffff"),
    ("__INTPTR_WIDTH__", "32"),
    ("__UINTPTR_TYPE__", "unsigned int"),
    ("__UINTPTR_MAX__", "0xffffffffU"),
    ("__WCHAR_TYPE__", "long int"),
    ("__WCHAR_MAX__", "0x7fffffffL"),
    ("__INT64_TYPE__", "long long int"),
    ("__INT64_MAX__", "0x7fffffffffffffffLL"),
    ("__INT64_C(c)", "c ## LL"),
    ("__UINT64_TYPE__", "long long unsigned int"),
    ("__UINT64_MAX__", "0xffffffffffffffffULL"),
    ("__UINT64_C(c)", "c ## ULL"),
    ("__INTMAX_TYPE__", "long long int"),
    ("__INTMAX_MAX__", "0x7fffffffffffffffLL"),
    ("__INTMAX_C(c)", "c ## LL"),
    ("__UINTMAX_TYPE__", "long long unsigned int"),
    ("__UINTMAX_MAX__", "0xffffffffffffffffULL"),
    ("__UINTMAX_C(c)", "c ## ULL"),
    ("__INT_LEAST64_TYPE__", "long long int"),
    ("__INT_LEAST64_MAX__", "0x7fffffffffffffffLL"),
    ("__UINT_LEAST64_TYPE__", "long long unsigned int"),
    ("__UINT_LEAST64_MAX__", "0xffffffffffffffffULL"),
    ("__INT_FAST16_TYPE__", "int"),
    ("__INT_FAST16_MAX__", "0x7fffffff"),
    ("__INT_FAST16_WIDTH__", "32"),
    ("__UINT_FAST16_TYPE__", "unsigned int"),
    ("__UINT_FAST16_MAX__", "0xffffffffU"),
    ("__INT_FAST32_TYPE__", "int"),
    ("__INT_FAST32_MAX__", "0x7fffffff"),
    ("__INT_FAST32_WIDTH__", "32"),
    ("__UINT_FAST32_TYPE__", "unsigned int"),
    ("__UINT_FAST32_MAX__", "0xffffffffU"),
    ("__INT_FAST64_TYPE__", "long long int"),
    ("__INT_FAST64_MAX__", "0x7fffffffffffffffLL"),
    ("__UINT_FAST64_TYPE__", "long long unsigned int"),
    ("__UINT_FAST64_MAX__", "0xffffffffffffffffULL"),
];
