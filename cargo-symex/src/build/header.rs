//! `symex.h`, which C gets from the tool itself: written where a compiler is told to look for it.

use std::path::Path;
use symex_abi::{HEADER, HEADER_NAME};

use super::error::BuildError;

/// Puts it into a directory, unless it is there. Another build may do so at the same time, and a
/// compiler read it.
pub fn install(directory: &Path) -> Result<(), BuildError> {
    let file = directory.join(HEADER_NAME);
    if std::fs::read_to_string(&file).is_ok_and(|text| text == HEADER) {
        return Ok(());
    }
    let fresh = directory.join(format!("{HEADER_NAME}.{}", std::process::id()));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&fresh, HEADER))
        .and_then(|()| std::fs::rename(&fresh, &file))
        .map_err(BuildError::file("writing", &file))
}
