//! Progress of a program in its arguments with `getopt`.

/// See the module.
#[derive(Clone, Debug)]
pub struct Options {
    /// Was it called before?
    pub begun: bool,
    /// The next argument to look at.
    pub index: usize,
    /// The arguments that are no options and were passed over: from this one on,
    pub first: usize,
    /// before this one.
    pub last: usize,
    /// The argument with several options in which it stands, and the place of the next one.
    pub within: Option<(usize, u64)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            begun: false,
            index: 1,
            first: 1,
            last: 1,
            within: None,
        }
    }
}
