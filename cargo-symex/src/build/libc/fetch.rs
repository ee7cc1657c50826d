//! Obtains musl's source: the archive that Debian ships, from the mirrors that this machine
//! installs its packages from, or a source that the user names.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LibcError, MUSL_VERSION};
use crate::build::error::BuildError;
use crate::build::tools;

/// The BLAKE3 hash of the Debian archive that is fetched. Its SHA-256, which Debian signs, is
/// 7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4.
const ARCHIVE_HASH: &str = "dd4d86b7f568ec1650d473d79697ea5df7a7b1a7fb71859a33f6e3161e62aecc";

/// Debian's package mirror, used if nothing on this machine names another.
const DEFAULT_MIRROR: &str = "http://deb.debian.org/debian";

/// The programs that can fetch a file, in the order in which they are tried, each with its
/// arguments before address and file.
const FETCHERS: [(&str, &[&str]); 3] = [
    ("/usr/lib/apt/apt-helper", &["download-file"]),
    (
        "curl",
        &["-fsSL", "--connect-timeout", "20", "--max-time", "300"],
    ),
    ("wget", &["-q", "--timeout=20", "--tries=2"]),
];

/// Returns the directory of musl's source, unpacked below `work` if it comes as an archive.
pub fn source(from: Option<&Path>, work: &Path) -> Result<PathBuf, LibcError> {
    let archive = match from {
        Some(path) if path.is_dir() => return checked(path.to_owned()),
        Some(path) => path.to_owned(),
        None => fetch(work)?,
    };
    std::fs::File::open(&archive).map_err(BuildError::file("reading", &archive))?;
    let into = work.join("source");
    std::fs::create_dir_all(&into).map_err(BuildError::file("creating", &into))?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(&archive).arg("-C").arg(&into);
    let output = tools::output(&mut tar)?;
    let not_musl = |reason: &str| LibcError::Source {
        path: archive.clone(),
        reason: reason.to_owned(),
    };
    if !output.status.success() {
        return Err(not_musl("it is no archive that tar can unpack"));
    }
    // An archive of a source has one directory in it.
    let entries = std::fs::read_dir(&into).map_err(BuildError::file("reading", &into))?;
    let folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match folders.as_slice() {
        [folder] => checked(folder.clone()).map_err(|_| not_musl(NOT_MUSL)),
        _ => Err(not_musl(NOT_MUSL)),
    }
}

const NOT_MUSL: &str = "it is not the source of musl";

/// Checks that a directory is musl's source.
fn checked(folder: PathBuf) -> Result<PathBuf, LibcError> {
    let parts = [
        "VERSION",
        "include/alltypes.h.in",
        "arch/x86_64/bits/alltypes.h.in",
    ];
    match parts.iter().all(|part| folder.join(part).is_file()) {
        true => Ok(folder),
        false => Err(LibcError::Source {
            path: folder,
            reason: NOT_MUSL.to_owned(),
        }),
    }
}

/// Returns the version of musl in a source directory.
pub fn version(musl: &Path) -> String {
    let text = std::fs::read_to_string(musl.join("VERSION")).unwrap_or_default();
    text.trim().to_owned()
}

/// Fetches the archive.
fn fetch(work: &Path) -> Result<PathBuf, LibcError> {
    let name = format!("musl_{MUSL_VERSION}.orig.tar.gz");
    let file = work.join(&name);
    let mut said = "no program to fetch it with".to_owned();
    for mirror in mirrors() {
        let address = format!("{mirror}/pool/main/m/musl/{name}");
        for (program, arguments) in FETCHERS {
            let _ = std::fs::remove_file(&file);
            let mut command = Command::new(program);
            command.args(arguments);
            match program {
                "curl" => command.arg("-o").arg(&file).arg(&address),
                "wget" => command.arg("-O").arg(&file).arg(&address),
                _ => command.arg(&address).arg(&file),
            };
            let Ok(output) = command.output() else {
                continue;
            };
            let Ok(contents) = std::fs::read(&file) else {
                said = format!("{address}: {}", reason(&output.stderr));
                continue;
            };
            if !output.status.success() {
                said = format!("{address}: {}", reason(&output.stderr));
            } else if blake3::hash(&contents).to_hex().as_str() != ARCHIVE_HASH {
                said = format!("{address}: it is not the archive that is expected");
            } else {
                return Ok(file);
            }
        }
    }
    Err(LibcError::Fetch(said))
}

/// Returns the last line that a failed program printed.
fn reason(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let line = said
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    line.unwrap_or("it cannot be reached").to_owned()
}

/// Returns the mirrors of Debian's packages that this machine uses, and the default one.
fn mirrors() -> Vec<String> {
    let apt = Path::new("/etc/apt");
    let mut files = vec![apt.join("sources.list")];
    let more = std::fs::read_dir(apt.join("sources.list.d"));
    files.extend(
        more.into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path()),
    );
    files.sort();
    let texts = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok());
    let mut mirrors: Vec<String> = texts.flat_map(|text| debian_mirrors(&text)).collect();
    mirrors.push(DEFAULT_MIRROR.to_owned());
    let mut seen = std::collections::BTreeSet::new();
    mirrors.retain(|mirror| seen.insert(mirror.clone()));
    mirrors
}

/// Returns the Debian mirrors in an apt sources list, in either of its two formats. Archives of
/// other distributions are skipped, because they have no such package.
fn debian_mirrors(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| line.starts_with("URIs:") || line.starts_with("deb"));
    let words = lines.flat_map(str::split_whitespace);
    words
        .map(|word| word.trim_end_matches('/'))
        .filter(|word| word.starts_with("http") && word.ends_with("/debian"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::debian_mirrors;

    #[test]
    fn mirrors_are_read_from_both_forms_of_lists() {
        let text = "Types: deb\nURIs: http://a.example/debian/ http://b.example/debian-security\n\
                    # http://c.example/debian\n\
                    deb [signed-by=/k] https://d.example/debian bookworm main\n\
                    deb https://e.example/apt main";
        assert_eq!(
            debian_mirrors(text),
            ["http://a.example/debian", "https://d.example/debian"]
        );
    }
}
