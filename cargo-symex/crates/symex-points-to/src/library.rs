//! Table of the effects of well-known functions without a body. A function that is not in it may do
//! anything.
//!
//! Allocators are not in it: the caller of the analysis says which ones there are (see
//! [`usual`](super::usual)).

use super::effect::Effect;
use super::effect::EffectPlace::*;
use super::effect::EffectStep::{Call, Flow, Frees};
use symex_abi::hooks;

/// Effect of reading, or of writing values that are no pointers; returns no pointer.
const PLAIN: Effect = &[];
const FREES: Effect = &[Frees];
const GIVES_FIRST: Effect = &[Flow(Arg(0), Result)];
/// Effect of copying the contents behind the second argument to those behind the first, and
/// returning the first.
const COPY: Effect = &[Flow(Behind(1), Behind(0)), Flow(Arg(0), Result)];
const NEW: Effect = &[Flow(New, Result)];
/// Effect of returning memory that the library owns.
const OWN: Effect = &[Flow(Outside, Result)];
const PARSES: Effect = &[Flow(Arg(0), Behind(1))];
const THROWS: Effect = &[Flow(Arg(0), Thrown)];
/// Effect of returning parts of the first argument, and storing the position behind the third.
const SPLITS: Effect = &[
    Flow(Arg(0), Behind(2)),
    Flow(Behind(2), Result),
    Flow(Arg(0), Result),
];

/// Names that share an effect.
const ROWS: &[(&[&str], Effect)] = &[
    (
        &[
            "memcmp",
            "bcmp",
            "strlen",
            "strnlen",
            "strcmp",
            "strncmp",
            "strcoll",
            "strcasecmp",
            "strncasecmp",
            "strspn",
            "strcspn",
            "bzero",
            "explicit_bzero",
            "malloc_usable_size",
            "puts",
            "putchar",
            "putchar_unlocked",
            "putc",
            "putc_unlocked",
            "fputc",
            "_IO_putc",
            "fputs",
            "fputs_unlocked",
            "fwrite",
            "fwrite_unlocked",
            "fflush",
            "fflush_unlocked",
            "fclose",
            "perror",
            "getchar",
            "getc",
            "fgetc",
            "_IO_getc",
            "getc_unlocked",
            "ungetc",
            "feof",
            "ferror",
            "clearerr",
            "fseek",
            "fseeko",
            "ftell",
            "ftello",
            "rewind",
            "setvbuf",
            "setlinebuf",
            "printf",
            "__printf_chk",
            "fprintf",
            "__fprintf_chk",
            "dprintf",
            "vprintf",
            "vfprintf",
            "__vfprintf_chk",
            "sprintf",
            "__sprintf_chk",
            "snprintf",
            "__snprintf_chk",
            "vsprintf",
            "__vsprintf_chk",
            "vsnprintf",
            "__vsnprintf_chk",
            "abort",
            "exit",
            "setjmp",
            "_setjmp",
            "sigsetjmp",
            "__sigsetjmp",
            "longjmp",
            "_longjmp",
            "siglongjmp",
            "__longjmp_chk",
            "_exit",
            "_Exit",
            "quick_exit",
            "__assert_fail",
            "__assert",
            "__assert_rtn",
            "__stack_chk_fail",
            "__chk_fail",
            "atoi",
            "atol",
            "atoll",
            "atof",
            "abs",
            "labs",
            "llabs",
            "rand",
            "random",
            "srand",
            "srandom",
            "getpid",
            "getuid",
            "geteuid",
            "getgid",
            "getegid",
            "sysconf",
            "getpagesize",
            "time",
            "clock",
            "clock_gettime",
            "gettimeofday",
            "nanosleep",
            "usleep",
            "sleep",
            "sched_yield",
            "write",
            "pread",
            "pread64",
            "pwrite",
            "pwrite64",
            "open",
            "open64",
            "openat",
            "close",
            "lseek",
            "lseek64",
            "stat",
            "stat64",
            "fstat",
            "fstat64",
            "lstat",
            "lstat64",
            "access",
            "unlink",
            "remove",
            "rename",
            "mkdir",
            "rmdir",
            "chdir",
            "isatty",
            "fsync",
            "dup",
            "dup2",
            "pipe",
            "setenv",
            "unsetenv",
            "isalnum",
            "isalpha",
            "isblank",
            "iscntrl",
            "isdigit",
            "isgraph",
            "islower",
            "isprint",
            "ispunct",
            "isspace",
            "isupper",
            "isxdigit",
            "tolower",
            "toupper",
            "pthread_self",
            "pthread_equal",
            "pthread_mutexattr_init",
            "pthread_mutexattr_destroy",
            "pthread_mutexattr_settype",
            "pthread_mutex_init",
            "pthread_mutex_destroy",
            "pthread_mutex_lock",
            "pthread_mutex_trylock",
            "pthread_mutex_unlock",
            "pthread_cond_init",
            "pthread_cond_destroy",
            "pthread_cond_signal",
            "pthread_cond_broadcast",
            "pthread_cond_wait",
            "pthread_cond_timedwait",
            "pthread_rwlock_init",
            "pthread_rwlock_destroy",
            "pthread_rwlock_rdlock",
            "pthread_rwlock_wrlock",
            "pthread_rwlock_unlock",
            "getentropy",
            "getrandom",
            "__cxa_end_catch",
            "__cxa_free_exception",
            "__cxa_pure_virtual",
            "__cxa_deleted_virtual",
            "_Unwind_GetIP",
            "_Unwind_GetIPInfo",
            "_Unwind_GetCFA",
            "ldexp",
            "ldexpf",
            "frexp",
            "frexpf",
            "modf",
            "modff",
            "sincos",
            "sincosf",
            "lround",
            "llround",
            "lrint",
            "llrint",
            hooks::MAKE_SYMBOLIC,
            hooks::ANY_INT,
            hooks::ANY_RANGE,
            hooks::ANY_LEN,
            hooks::ASSUME,
            hooks::REJECT,
            hooks::CUT,
            hooks::COVER,
            hooks::CHECK_NAME,
            "symex_check_read",
            "symex_check_value",
            "symex_check_write",
            hooks::IS_SYMBOLIC,
            "symex_exit",
            "klee_make_symbolic",
            "klee_assume",
            "klee_range",
            "klee_int",
            "klee_is_symbolic",
            "klee_silent_exit",
            "klee_abort",
            "klee_report_error",
            "klee_warning",
            "klee_warning_once",
        ],
        PLAIN,
    ),
    (
        // Input is bytes from outside of the process: no address of it.
        &["read", "fread", "fread_unlocked", "readlink"],
        PLAIN,
    ),
    (
        &["memcpy", "memmove", "__memcpy_chk", "__memmove_chk"],
        COPY,
    ),
    (
        &[
            "free",
            "cfree",
            "__libc_free",
            "_ZdlPv",
            "_ZdaPv",
            "_ZdlPvm",
            "_ZdaPvm",
            "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t",
            "munmap",
        ],
        FREES,
    ),
    (
        &[
            "fcntl",
            "fcntl64",
            "pause",
            "gettid",
            "getppid",
            "mprotect",
            "madvise",
            "mlock",
            "munlock",
            "getauxval",
            "sigaltstack",
            "sigemptyset",
            "sigfillset",
            "sigaddset",
            "sigdelset",
            "sigprocmask",
            "pthread_sigmask",
            "statx",
            "poll",
            "ppoll",
            "epoll_create",
            "epoll_create1",
            "eventfd",
            "timerfd_create",
            "timerfd_settime",
            "timerfd_gettime",
            "socketpair",
            "shutdown",
            "getsockopt",
            "send",
            "sendto",
            "recv",
            "recvfrom",
            "pthread_setname_np",
            "pthread_getname_np",
            "pthread_attr_init",
            "pthread_attr_destroy",
            "pthread_attr_setstacksize",
            "pthread_attr_getguardsize",
            "pthread_getattr_np",
            "pthread_key_delete",
            "pthread_spin_init",
            "pthread_spin_destroy",
            "pthread_spin_lock",
            "pthread_spin_unlock",
            "sem_init",
            "sem_destroy",
            "sem_post",
            "sem_wait",
            "pthread_condattr_init",
            "pthread_condattr_destroy",
            "pthread_condattr_setclock",
            "__xpg_strerror_r",
            "writev",
            "readv",
            "preadv",
            "pwritev",
            "getrlimit",
            "isascii",
            "mktime",
            "strftime",
            "closedir",
            "fileno",
        ],
        PLAIN,
    ),
    (
        &["strerror_r"],
        &[Flow(Arg(1), Result), Flow(Outside, Result)],
    ),
    (&["pthread_attr_getstack"], &[Flow(Outside, Behind(1))]),
    (&["pthread_setspecific"], &[Flow(Arg(1), Outside)]),
    (&["pthread_getspecific", "dlsym", "opendir"], OWN),
    (
        &["pthread_key_create"],
        &[Call {
            callee: 1,
            args: &[Outside],
            result: None,
        }],
    ),
    // What is copied is text, but nothing keeps pointers from being in it.
    (
        &[
            "strcpy",
            "strncpy",
            "strcat",
            "strncat",
            "stpcpy",
            "stpncpy",
            "strlcpy",
            "strlcat",
            "mempcpy",
            "memccpy",
            "__strcpy_chk",
            "__stpcpy_chk",
            "__strcat_chk",
            "__strncpy_chk",
            "__strncat_chk",
            "__mempcpy_chk",
        ],
        COPY,
    ),
    (&["bcopy"], &[Flow(Behind(0), Behind(1))]),
    (&["swab"], &[Flow(Behind(0), Behind(1))]),
    (
        &[
            "memset",
            "__memset_chk",
            "memchr",
            "memrchr",
            "rawmemchr",
            "memmem",
            "strchr",
            "index",
            "strchrnul",
            "strrchr",
            "rindex",
            "strstr",
            "strcasestr",
            "strpbrk",
            "fgets",
            "gets",
            "__cxa_begin_catch",
            "__cxa_get_exception_ptr",
            "__rust_retag_reg",
            "__symex_pointer_of_integer",
            "__symex_integer_of_pointer",
        ],
        GIVES_FIRST,
    ),
    (
        &["strdup", "__strdup", "strndup", "__strndup"],
        &[Flow(New, Result), Flow(Behind(0), InNew)],
    ),
    (&["strtok_r", "__strtok_r"], SPLITS),
    (&["strsep"], &[Flow(Behind(0), Result)]),
    (
        &[
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "strtod",
            "strtof",
            "strtoimax",
            "strtoumax",
            "__isoc23_strtol",
            "__isoc23_strtoll",
            "__isoc23_strtoul",
            "__isoc23_strtoull",
        ],
        PARSES,
    ),
    (&["asprintf", "vasprintf"], &[Flow(New, Behind(0))]),
    (&["getline", "getdelim"], &[Flow(New, Behind(0))]),
    (
        &["getcwd", "realpath"],
        // A buffer that is handed over, or a new one.
        &[
            Flow(New, Result),
            Flow(Arg(0), Result),
            Flow(Arg(1), Result),
        ],
    ),
    (
        &[
            "fopen",
            "fopen64",
            "fdopen",
            "tmpfile",
            "__errno_location",
            "__error",
            "___errno",
            "__ctype_b_loc",
            "__ctype_tolower_loc",
            "__ctype_toupper_loc",
            "strerror",
            "getenv",
            "secure_getenv",
            "setlocale",
            "localeconv",
            "localtime",
            "gmtime",
            "gnu_get_libc_version",
        ],
        OWN,
    ),
    (&["localtime_r", "gmtime_r"], &[Flow(Arg(1), Result)]),
    (&["mmap", "mmap64"], NEW),
    (&["__cxa_allocate_exception"], NEW),
    (
        &["qsort"],
        &[Call {
            callee: 3,
            args: &[Arg(0), Arg(0)],
            result: None,
        }],
    ),
    (
        &["qsort_r"],
        &[Call {
            callee: 3,
            args: &[Arg(0), Arg(0), Arg(4)],
            result: None,
        }],
    ),
    (
        &["bsearch"],
        &[
            Flow(Arg(1), Result),
            Call {
                callee: 4,
                args: &[Arg(0), Arg(1)],
                result: None,
            },
        ],
    ),
    (
        &["atexit", "at_quick_exit"],
        &[Call {
            callee: 0,
            args: &[],
            result: None,
        }],
    ),
    (
        &[
            "__cxa_atexit",
            "__cxa_thread_atexit",
            "__cxa_thread_atexit_impl",
        ],
        &[Call {
            callee: 0,
            args: &[Arg(1)],
            result: None,
        }],
    ),
    (
        &["pthread_once"],
        &[Call {
            callee: 1,
            args: &[],
            result: None,
        }],
    ),
    (
        &["pthread_create"],
        &[Call {
            callee: 2,
            args: &[Arg(3)],
            result: Some(Outside),
        }],
    ),
    (&["pthread_join"], &[Flow(Outside, Behind(1))]),
    (
        &[
            "_Unwind_RaiseException",
            "_Unwind_Resume",
            "_Unwind_Resume_or_Rethrow",
        ],
        THROWS,
    ),
    (
        &["__cxa_throw"],
        &[
            Flow(Arg(0), Thrown),
            Call {
                callee: 2,
                args: &[Arg(0)],
                result: None,
            },
        ],
    ),
    // What is thrown again has been thrown before.
    (&["__cxa_rethrow"], PLAIN),
    (
        &["_Unwind_DeleteException"],
        // The clean-up function lies in the exception.
        &[Flow(Arg(0), Outside)],
    ),
];

/// Effects of LLVM's own functions, by prefix of their names.
const INTRINSICS: &[(&str, Effect)] = &[
    ("llvm.ptr.annotation", GIVES_FIRST),
    ("llvm.annotation", GIVES_FIRST),
    ("llvm.launder.invariant.group", GIVES_FIRST),
    ("llvm.strip.invariant.group", GIVES_FIRST),
    ("llvm.invariant.", PLAIN),
    ("llvm.trap", PLAIN),
    ("llvm.ubsantrap", PLAIN),
    ("llvm.debugtrap", PLAIN),
    ("llvm.prefetch", PLAIN),
    ("llvm.donothing", PLAIN),
    ("llvm.sideeffect", PLAIN),
    ("llvm.dbg.", PLAIN),
    ("llvm.var.annotation", PLAIN),
    ("llvm.experimental.noalias.scope.decl", PLAIN),
    ("llvm.clear_cache", PLAIN),
    ("llvm.readcyclecounter", PLAIN),
    ("llvm.readsteadycounter", PLAIN),
    ("llvm.get.rounding", PLAIN),
    ("llvm.x86.sse2.pause", PLAIN),
    ("llvm.x86.sse2.lfence", PLAIN),
    ("llvm.x86.sse2.mfence", PLAIN),
    ("llvm.x86.sse.sfence", PLAIN),
    ("llvm.powi.", PLAIN),
    ("llvm.pow.", PLAIN),
    ("llvm.sin", PLAIN),
    ("llvm.cos", PLAIN),
    ("llvm.tan", PLAIN),
    ("llvm.asin.", PLAIN),
    ("llvm.acos.", PLAIN),
    ("llvm.atan", PLAIN),
    ("llvm.exp.", PLAIN),
    ("llvm.exp2.", PLAIN),
    ("llvm.exp10.", PLAIN),
    ("llvm.log", PLAIN),
    ("llvm.ldexp.", PLAIN),
    ("llvm.frexp.", PLAIN),
    ("llvm.lround.", PLAIN),
    ("llvm.llround.", PLAIN),
    ("llvm.lrint.", PLAIN),
    ("llvm.llrint.", PLAIN),
];

/// Allocators, by symbol name.
const ALLOCATORS: &[(&[&str], Effect)] = &[
    (
        &[
            "malloc",
            "calloc",
            "aligned_alloc",
            "memalign",
            "valloc",
            "pvalloc",
            "__libc_malloc",
            "__libc_calloc",
            "__libc_memalign",
            "_Znwm",
            "_Znam",
            "_ZnwmRKSt9nothrow_t",
            "_ZnamRKSt9nothrow_t",
            "_ZnwmSt11align_val_t",
            "_ZnamSt11align_val_t",
        ],
        NEW,
    ),
    (&["realloc", "reallocarray", "__libc_realloc"], RESIZED),
    (&["posix_memalign"], &[Flow(New, Behind(0))]),
];

const RESIZED: Effect = &[Frees, Flow(New, Result), Flow(Behind(0), InNew)];

/// Rust allocators, by the last part of their path; `__rdl_` is the default behind `__rust_`.
const RUST_ALLOCATORS: &[(&str, Effect)] = &[
    ("__rust_alloc", NEW),
    ("__rust_alloc_zeroed", NEW),
    ("__rust_realloc", RESIZED),
    ("__rust_dealloc", FREES),
    ("__rdl_alloc", NEW),
    ("__rdl_alloc_zeroed", NEW),
    ("__rdl_realloc", RESIZED),
    ("__rdl_dealloc", FREES),
    ("__rust_no_alloc_shim_is_unstable_v2", PLAIN),
];

fn in_rows(rows: &[(&[&str], Effect)], name: &str) -> Option<Effect> {
    let row = rows.iter().find(|(names, _)| names.contains(&name));
    row.map(|(_, effect)| *effect)
}

/// Returns the effect of a function without a body, by its symbol name.
pub(super) fn effect(name: &str) -> Option<Effect> {
    if name.starts_with("llvm.") {
        let row = INTRINSICS.iter().find(|(start, _)| name.starts_with(start));
        return row.map(|(_, effect)| *effect);
    }
    in_rows(ROWS, name)
}

/// Returns the effect of an allocator of C, C++ or Rust, by its symbol name and its readable one.
pub(super) fn allocator(name: &str, display: &str) -> Option<Effect> {
    if let Some(path) = display.strip_prefix("__rustc::") {
        let row = RUST_ALLOCATORS.iter().find(|(last, _)| *last == path);
        return row.map(|(_, effect)| *effect);
    }
    let row = RUST_ALLOCATORS.iter().find(|(last, _)| *last == name);
    row.map(|(_, effect)| *effect)
        .or_else(|| in_rows(ALLOCATORS, name))
}

#[cfg(test)]
mod tests {
    use super::super::effect::EffectStep;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_has_two_rows() {
        let mut seen = BTreeSet::new();
        for (names, _) in ROWS.iter().chain(ALLOCATORS) {
            for name in *names {
                assert!(seen.insert(name), "{name} twice");
            }
        }
    }

    #[test]
    fn no_step_goes_to_a_place_that_is_none() {
        let effects = ROWS.iter().chain(ALLOCATORS).flat_map(|r| r.1.iter());
        for step in effects {
            if let EffectStep::Flow(from, to) = step {
                assert!(!matches!(from, Result | Thrown), "{step:?}");
                assert!(!matches!(to, Arg(_) | From(_) | New), "{step:?}");
            }
        }
    }

    #[test]
    fn allocators_have_names_of_c_and_of_rust() {
        assert_eq!(allocator("malloc", "malloc"), Some(NEW));
        assert_eq!(
            allocator("_RNvCs_7___rustc12___rust_alloc", "__rustc::__rust_alloc"),
            Some(NEW)
        );
        assert_eq!(allocator("__rust_realloc", "__rust_realloc"), Some(RESIZED));
        assert_eq!(allocator("_RNv", "user::malloc"), None);
    }
}
