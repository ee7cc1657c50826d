//! `symex.h`, which C gets from the tool itself: written where a compiler is told to look for it.

use std::path::Path;

use super::error::BuildError;

/// Its name, as programs include it.
pub const HEADER: &str = "symex.h";
/// Its text.
pub const HEADER_TEXT: &str = include_str!("symex.h");

/// Puts it into a directory, unless it is there. Another build may do so at the same time, and a compiler read it.
pub fn install(directory: &Path) -> Result<(), BuildError> {
    let file = directory.join(HEADER);
    if std::fs::read_to_string(&file).is_ok_and(|text| text == HEADER_TEXT) {
        return Ok(());
    }
    let fresh = directory.join(format!("{HEADER}.{}", std::process::id()));
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&fresh, HEADER_TEXT))
        .and_then(|()| std::fs::rename(&fresh, &file))
        .map_err(BuildError::file("writing", &file))
}
