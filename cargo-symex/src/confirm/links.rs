//! Guards file writes against symbolic links that lead out of the directory below which a file is
//! written.
//!
//! A repository may come from anywhere, and a link in it must not make this tool write somewhere
//! else.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Fails if a link between a root and a file below it leads out of the root, or to nothing. The
/// file need not exist.
pub fn refuse_way_out(root: &Path, relative: &Path) -> Result<()> {
    let mut path = root.to_owned();
    for component in relative.components() {
        path.push(component);
        match std::fs::symlink_metadata(&path) {
            Ok(data) if data.is_symlink() => inspect(root, &path)?,
            Ok(_) => {}
            // Missing directories are created later, and creation fails if a file is in the way.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

fn inspect(root: &Path, link: &Path) -> Result<()> {
    let refused = |why: &str| {
        let text = format!("{} is a symbolic link {why}", link.display());
        Err(Error::new(ErrorKind::InvalidInput, text))
    };
    match link.canonicalize() {
        Ok(target) if target.starts_with(root.canonicalize()?) => Ok(()),
        Ok(target) => refused(&format!("to {}, outside of the package", target.display())),
        Err(_) => refused("to nothing that is there"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_links_that_stay_inside_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("package");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir(dir.path().join("other")).unwrap();
        std::fs::write(dir.path().join("other/file"), "").unwrap();
        symlink("a/b", root.join("inside")).unwrap();
        symlink("../../other", root.join("a/folder")).unwrap();
        symlink(dir.path().join("other/file"), root.join("a/file.rs")).unwrap();
        symlink("nowhere", root.join("a/dangling.rs")).unwrap();
        for fine in ["a/b/new.rs", "inside/new.rs", "new/and/new.rs"] {
            assert!(refuse_way_out(&root, Path::new(fine)).is_ok(), "{fine}");
        }
        for (bad, why) in [
            ("a/folder/new.rs", "outside of the package"),
            ("a/file.rs", "outside of the package"),
            ("a/dangling.rs", "to nothing"),
        ] {
            let error = refuse_way_out(&root, Path::new(bad)).unwrap_err();
            assert!(error.to_string().contains(why), "{bad}: {error}");
        }
        // The path of the package itself may be a link.
        let alias = dir.path().join("alias");
        symlink(&root, &alias).unwrap();
        assert!(refuse_way_out(&alias, Path::new("inside/new.rs")).is_ok());
    }
}
