//! Sizes of the parts of a split object [RAM 2.4].
//!
//! A path per part repeats all that follows, and the next access multiplies the paths; a large part
//! makes a large array. The solver handles some thousand elements with ease and ten thousand
//! hardly, so parts of `auto` are as large as it handles: smaller where not all elements are
//! constants. Where there is no path per part, small parts leave out most elements that the inputs
//! cannot reach, and cost only queries.
//!
//! A path per part makes all that follows again, and the next access multiplies; a large part makes
//! a large array. The solver takes some thousand elements with ease and ten thousand hardly, so
//! that parts of `auto` are as large as it takes: smaller where not all elements are constants.
//! Where there is no path per part, small parts leave out most of what the inputs do not lead to,
//! and cost questions only.
//!
//! What that rests on: `examples/memory_bench.rs`, question `parts`. Seconds of processor time by
//! the bytes of a part under the model `forking`, for a table of 16 KiB with elements of one byte
//! and one of 64 KiB with elements of eight, of which the given number of elements from the middle
//! on may be accessed. `>`: not done when time was up. `?`: a query went unanswered.
//!
//! | accesses | bytes, of them reached | whole | 8192 | 4096 | 2048 | 1024 | 512 | 256 | 64 |
//! |---|---|---|---|---|---|---|---|---|---|
//! | 3 reads | 1, 50 | ? | 0.777 | 0.269 | 0.119 | 0.065 | 0.055 | 0.042 | 0.053 |
//! | | 1, 500 | ? | 0.675 | 0.230 | 0.103 | 0.059 | 0.384 | 1.206 | > |
//! | | 1, 2000 | ? | 0.711 | 0.219 | 0.099 | 0.574 | > | > | > |
//! | | 8, 50 | 1.561 | 0.125 | 0.068 | 0.047 | 0.021 | 0.035 | 0.015 | 0.052 |
//! | | 8, 500 | 1.459 | 0.122 | 0.526 | 1.510 | > | > | > | > |
//! | | 8, 2000 | 1.626 | 0.526 | > | > | > | > | > | > |
//! | a write, a read | 1, 50 | 0.590 | 0.262 | 0.144 | 0.078 | 0.051 | 0.041 | 0.037 | 0.064 |
//! | | 1, 500 | ? | 1.313 | 0.306 | 0.125 | 0.078 | 0.103 | 0.135 | 0.249 |
//! | | 1, 2000 | ? | 0.878 | 0.268 | 0.108 | 0.134 | 0.169 | 0.252 | 0.843 |
//! | | 8, 50 | 1.097 | 0.125 | 0.078 | 0.055 | 0.043 | 0.077 | 0.069 | 0.190 |
//! | | 8, 500 | 1.734 | 0.205 | 0.177 | 0.156 | 0.236 | 0.267 | 0.413 | > |
//! | | 8, 2000 | ? | 0.296 | 0.370 | 0.520 | > | > | > | > |
//! | a read of inputs | 1, 2000 | ? | > | 0.270 | 0.109 | 0.046 | 0.039 | 0.036 | 0.042 |
//! | | 8, 2000 | > | 0.429 | 0.214 | 0.204 | 0.139 | 0.108 | 0.112 | 0.120 |
//!
//! Under the model `dynamic`, which has no path per part, the sizes differ little as long as what
//! is reached is large, and small parts are better where it is small: three reads among 50 bytes
//! take 0.323 to 0.061 seconds in parts of 4096 to 512 bytes, and 0.026 in parts of 64.

use symex_types::config::PartSize;

/// Number of elements of a part that is a path of its own.
const FORKED_ELEMENTS: u64 = 2048;

/// Greatest size of such a part, in bytes: wide elements are harder.
const FORKED_BYTES: u64 = 8192;

/// Number of elements of such a part, and its bytes, where not all elements are constants.
const FORKED_INPUTS: u64 = 512;
const FORKED_INPUT_BYTES: u64 = 1024;

/// Size of a part, in bytes, where there is no path per part.
const MERGED_BYTES: u64 = 64;

/// Returns the size of the parts in which an access of some bytes sees an object, as a power of
/// two. `forks`: if there is a path per part, whether nothing in the object depends on inputs.
pub fn part_log2(size: PartSize, bytes: u64, forks: Option<bool>) -> u32 {
    let element = bytes.next_power_of_two();
    let part = match (size, forks) {
        (PartSize::Bytes(part), _) => part,
        (PartSize::Auto | PartSize::ByModel, None) => MERGED_BYTES,
        (PartSize::Auto | PartSize::ByModel, Some(plain)) => {
            let (elements, most) = match plain {
                true => (FORKED_ELEMENTS, FORKED_BYTES),
                false => (FORKED_INPUTS, FORKED_INPUT_BYTES),
            };
            most.min(elements * element)
        }
    };
    // An access reaches into two parts at most.
    part.max(element).max(8).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_an_access() {
        let size = |size, bytes, forks| 1u64 << part_log2(size, bytes, forks);
        let (plain, inputs) = (Some(true), Some(false));
        assert_eq!(size(PartSize::Bytes(64), 4, plain), 64);
        assert_eq!(size(PartSize::Bytes(100), 4, inputs), 64);
        assert_eq!(size(PartSize::Bytes(8), 12, None), 16);
        assert_eq!(size(PartSize::Bytes(0), 1, None), 8);
        assert_eq!(size(PartSize::Auto, 1, plain), 2048);
        assert_eq!(size(PartSize::Auto, 8, plain), 8192);
        assert_eq!(size(PartSize::Auto, 1, inputs), 512);
        assert_eq!(size(PartSize::Auto, 8, inputs), 1024);
        assert_eq!(size(PartSize::Auto, 8, None), 64);
    }
}
