//! The header `symex.h` for C, which this tool writes into a directory on the compiler's include
//! path.

use std::path::Path;
use symex_abi::{HEADER, HEADER_NAME};

use super::error::BuildError;

/// Writes the header into a directory, unless it is there. Other builds may write it, and compilers
/// read it, at the same time.
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
