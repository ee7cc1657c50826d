//! What each kind of finding is, for reports that explain the kinds: what is wrong about it, and
//! what is usually done.

use symex_types::outcome::FindingKind;

/// A kind of finding in words.
pub struct Rule {
    /// What is wrong, in a sentence.
    pub what: &'static str,
    /// What to look for.
    pub advice: &'static str,
}

/// Returns the description of a kind.
pub fn rule(kind: FindingKind) -> Rule {
    use FindingKind::*;
    let (what, advice) = match kind {
        Panic => (
            "The code panics on some input.",
            "Return an error for this input, or, if no caller can pass it, exclude it in the harness with `symex::assume`.",
        ),
        Abort => (
            "The program ends itself abnormally on some input: by `abort`, or by a panic that must not unwind.",
            "Look for the innermost call in the trace, and for panics in destructors and in functions that C calls.",
        ),
        ExitCode => (
            "The program exits with an error code on some input.",
            "Return an error to the caller instead, or expect the code.",
        ),
        OutOfBounds => (
            "Memory is accessed outside the object that the pointer was made for.",
            "Check the index or length before the access; in unsafe code, check what the caller has to guarantee.",
        ),
        UseAfterFree => (
            "Memory is accessed after it was freed.",
            "Look at where the object was allocated, and at what frees it while the pointer is still used.",
        ),
        DoubleFree => (
            "Memory is freed a second time.",
            "Look for two owners of one allocation, as copies made with `ptr::read` or `from_raw` are.",
        ),
        InvalidFree => (
            "Memory is freed that this allocator did not allocate so: by another pointer, with another layout, or by another \
             allocator.",
            "Free with the pointer, layout and allocator of the allocation.",
        ),
        NullAccess => (
            "Memory is accessed through a null pointer.",
            "Check the pointer where it comes from, such as an allocation that failed.",
        ),
        InvalidAccess => (
            "Memory is accessed through a pointer that points to no object.",
            "Look at where the pointer is made, for instance of an integer.",
        ),
        ReadOnlyWrite => (
            "Memory is written that is read-only.",
            "Look for a pointer to a constant that was cast to a mutable one.",
        ),
        Misaligned => (
            "Memory is accessed, or a reference is made, at an address that its type does not allow.",
            "Use `read_unaligned` and `write_unaligned`, or align the object.",
        ),
        UninitUse => (
            "The result depends on memory that was never written.",
            "Look for `MaybeUninit`, `set_len` and buffers of C that were filled only in part.",
        ),
        UnreachableReached => (
            "Code is reached that was promised to be unreachable.",
            "Replace `unreachable_unchecked` by `unreachable!`, or exclude the case.",
        ),
        DivisionByZero => (
            "A number is divided by zero where nothing checks it.",
            "Check the divisor.",
        ),
        ShiftTooFar => (
            "A number is shifted by its width or more, where nothing checks it.",
            "Check the distance, or use `checked_shl` and its like.",
        ),
        ArithmeticOverflow => (
            "An integer overflows where the language forbids it.",
            "Check the operands, or compute in a wider or unsigned type.",
        ),
        InvalidAssume => (
            "A condition is false that was promised to the compiler.",
            "Replace `assert_unchecked` by `assert!`, or make the condition true for every caller.",
        ),
        InvalidCall => (
            "A call goes through a pointer to no function, or has other arguments than the function.",
            "Compare the declaration of the function with its definition, and the type of the pointer with both.",
        ),
        StackOverflow => (
            "The calls nest so deeply that the stack overflows.",
            "Bound the depth of the recursion by something else than the input.",
        ),
        Leak => (
            "Memory is never freed, and nothing points to it any more.",
            "Free it on this path, too; look for early returns and `forget`.",
        ),
        Hang => (
            "The code does not come to its end within the limit on steps.",
            "Look for a loop whose condition this input keeps true. If it is only long, raise `--max-steps`.",
        ),
        Undefined => (
            "C does what its standard leaves undefined.",
            "The message names the rule; clang's UndefinedBehaviorSanitizer documents its checks.",
        ),
        InvalidValue => (
            "A value is made that its type does not have, such as a `bool` that is 2.",
            "Check the bits before `transmute` or a read through a cast pointer.",
        ),
        DanglingReference => (
            "A reference refers to memory that is not there, or not there in full.",
            "Keep a raw pointer until the memory is valid; check lengths for `from_raw_parts`.",
        ),
        UncheckedOperation => (
            "An operation without checks has operands for which it is not defined.",
            "Use the operation with a check, or check what it requires.",
        ),
        DataRace => (
            "Two threads access the same memory, one of them writes, and nothing orders the accesses.",
            "Use an atomic, a lock, or a channel; see the other thread's place.",
        ),
        Deadlock => (
            "All threads wait, each for another or for itself.",
            "Take locks in the same order everywhere, and look for a notification that nobody sends.",
        ),
        Aliasing => (
            "An access breaks Rust's rules of aliasing, as Tree Borrows has them.",
            "Use one pointer, or `UnsafeCell`, where the report shows the reference and what ended it.",
        ),
    };
    Rule { what, advice }
}
