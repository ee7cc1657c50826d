//! Progress of `getopt` in a program's arguments.

/// State of `getopt`.
#[derive(Clone, Debug)]
pub struct GetoptState {
    /// Whether it was called before.
    pub begun: bool,
    /// Index of the next argument to parse.
    pub index: usize,
    /// Index of the first skipped argument that is no option.
    pub first: usize,
    /// Index behind the last skipped argument.
    pub last: usize,
    /// Argument with several options that is being parsed, and the position of the next one.
    pub within: Option<(usize, u64)>,
}

impl Default for GetoptState {
    fn default() -> Self {
        GetoptState {
            begun: false,
            index: 1,
            first: 1,
            last: 1,
            within: None,
        }
    }
}
