//! Cache of linked programs, keyed by their link inputs.
//!
//! Lookup takes two steps: a quick key over names, sizes and times of the inputs, and when that is
//! new, a key over their contents. An entry is written under a temporary name and renamed, so that
//! an entry that is found is complete, even if a process is killed while it writes. Hashes of the
//! contents detect later damage by the disk or by a crash of the machine; a damaged entry counts as
//! absent. A program is read only when it is asked for; if it is damaged, it is then linked again.

use std::cell::OnceCell;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::collect::InputFile;
use super::error::BuildError;
use symex_bitcode::link::{LinkOptions, ProgramInfo};
use symex_program::{Program, store};

/// Format version, raised when the same inputs give another program.
const FORMAT: u32 = 4;
/// Entries kept for one test executable: enough to go back and forth between some choices of
/// harnesses in two states of a crate.
const KEPT: usize = 16;

/// The cache of one target directory.
#[derive(Debug)]
pub struct ProgramCache {
    directory: PathBuf,
    /// Identifies the build of this tool.
    tool: String,
}

/// A linked and translated program.
#[derive(Clone, Debug)]
pub struct LinkedCode {
    /// Facts about the program that were found when it was linked.
    pub info: ProgramInfo,
    /// Identifier of the program; equal programs have equal ones, because it is computed from all
    /// link inputs.
    pub id: String,
    program: StoredBytes,
}

/// Storage of a program's bytes.
#[derive(Clone, Debug)]
enum StoredBytes {
    Here(Vec<u8>),
    /// The file in which an earlier run left the bytes.
    In(PathBuf),
}

impl LinkedCode {
    /// Reads and decodes the program. This is done on demand, because a run whose verdicts are
    /// known needs no program. Fails if the file does not hold a program any more.
    pub fn program(&self) -> Result<Program, BuildError> {
        let loaded = match &self.program {
            StoredBytes::Here(bytes) => store::load(bytes),
            StoredBytes::In(file) => {
                store::load(&std::fs::read(file).map_err(BuildError::file("reading", file))?)
            }
        };
        loaded.map_err(BuildError::Stored)
    }
}

/// The facts stored beside a program, with a hash of themselves.
#[derive(Serialize, Deserialize)]
struct StoredProgram {
    info: ProgramInfo,
    /// Hash of the other fields.
    hash: String,
}

/// Cache key of a program, computed before the program exists.
pub struct ProgramKey {
    executable: String,
    quick: String,
    inputs: Vec<InputFile>,
    settings: Vec<u8>,
    content: OnceCell<String>,
}

impl ProgramCache {
    /// Opens the cache in a target directory, for the tool in `executable`.
    pub fn open(target_dir: &Path, executable: &Path) -> Result<Self, BuildError> {
        let directory = target_dir.join("programs");
        std::fs::create_dir_all(&directory).map_err(|source| BuildError::TargetDir {
            path: target_dir.to_owned(),
            source,
        })?;
        Ok(ProgramCache {
            directory,
            tool: stamp(executable)?,
        })
    }

    /// Identifies the build of this tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Computes the key of a program to be linked from these inputs.
    pub fn key(
        &self,
        executable: &Path,
        manifest: &[u8],
        inputs: Vec<InputFile>,
        options: &LinkOptions,
    ) -> Result<ProgramKey, BuildError> {
        let settings = format!("{FORMAT} {} {options:?}", self.tool).into_bytes();
        let mut quick = blake3::Hasher::new();
        quick.update(&settings).update(manifest);
        for input in &inputs {
            quick.update(input.path.as_os_str().as_encoded_bytes());
            quick.update(stamp(&input.path)?.as_bytes());
        }
        let executable = executable
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(ProgramKey {
            executable,
            quick: quick.finalize().to_hex()[..24].to_owned(),
            inputs,
            settings,
            content: OnceCell::new(),
        })
    }

    /// Returns the program if its inputs are untouched, or touched without a change of contents.
    pub fn find(&self, key: &ProgramKey) -> Result<Option<LinkedCode>, BuildError> {
        let quick = self.quick_entry(key);
        let content = match std::fs::read_to_string(&quick) {
            Ok(content) => content,
            Err(_) => self.content_key(key)?,
        };
        let found = self.load(&key.executable, &content);
        if found.is_some() {
            self.write(&quick, content.as_bytes())?;
        }
        Ok(found)
    }

    /// Stores a linked program and its bytes.
    pub fn store(
        &self,
        key: &ProgramKey,
        linked: ProgramInfo,
        bytes: Vec<u8>,
    ) -> Result<LinkedCode, BuildError> {
        let content = self.content_key(key)?;
        let (program, info) = self.entry(&key.executable, &content);
        self.write(&program, &bytes)?;
        let text = StoredProgram::new(&linked)
            .and_then(|entry| serde_json::to_vec_pretty(&entry))
            .map_err(|error| BuildError::Manifest {
                path: info.clone(),
                reason: error.to_string(),
            })?;
        self.write(&info, &text)?;
        self.write(&self.quick_entry(key), content.as_bytes())?;
        self.forget_old(&key.executable);
        Ok(LinkedCode {
            info: linked,
            id: content,
            program: StoredBytes::Here(bytes),
        })
    }

    fn load(&self, executable: &str, content: &str) -> Option<LinkedCode> {
        let (program, info) = self.entry(executable, content);
        let StoredProgram { info, hash } =
            serde_json::from_slice(&std::fs::read(info).ok()?).ok()?;
        let is_whole = program.is_file() && StoredProgram::new(&info).ok()?.hash == hash;
        is_whole.then(|| LinkedCode {
            info,
            id: content.to_owned(),
            program: StoredBytes::In(program),
        })
    }

    fn entry(&self, executable: &str, content: &str) -> (PathBuf, PathBuf) {
        let stem = format!("{executable}.{content}");
        (
            self.directory.join(format!("{stem}.program")),
            self.directory.join(format!("{stem}.json")),
        )
    }

    fn quick_entry(&self, key: &ProgramKey) -> PathBuf {
        self.directory
            .join(format!("{}.{}.key", key.executable, key.quick))
    }

    fn content_key(&self, key: &ProgramKey) -> Result<String, BuildError> {
        if let Some(known) = key.content.get() {
            return Ok(known.clone());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&key.settings);
        for input in &key.inputs {
            let contents =
                std::fs::read(&input.path).map_err(BuildError::file("reading", &input.path))?;
            hasher.update(&[u8::from(input.whole_archive)]);
            hasher.update(&(contents.len() as u64).to_le_bytes());
            hasher.update(&contents);
        }
        let content = hasher.finalize().to_hex()[..24].to_owned();
        Ok(key.content.get_or_init(|| content).clone())
    }

    fn write(&self, path: &Path, contents: &[u8]) -> Result<(), BuildError> {
        write_whole(path, contents).map_err(BuildError::file("writing", path))
    }

    /// Removes the oldest entries of an executable. Failures to remove are ignored, because the
    /// files only take space.
    fn forget_old(&self, executable: &str) {
        let Ok(files) = std::fs::read_dir(&self.directory) else {
            return;
        };
        let mut by_kind: [Vec<(std::time::SystemTime, PathBuf)>; 3] = Default::default();
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(rest) = name
                .strip_prefix(executable)
                .and_then(|rest| rest.strip_prefix('.'))
            else {
                continue;
            };
            let kind = ["program", "json", "key"]
                .iter()
                .position(|kind| rest.ends_with(kind));
            if let (Some(kind), Ok(modified)) =
                (kind, file.metadata().and_then(|data| data.modified()))
            {
                by_kind[kind].push((modified, file.path()));
            }
        }
        for mut entries in by_kind {
            entries.sort_by(|a, b| b.cmp(a));
            for (_, path) in entries.into_iter().skip(KEPT) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

impl StoredProgram {
    fn new(info: &ProgramInfo) -> serde_json::Result<Self> {
        let hash = blake3::hash(&serde_json::to_vec(info)?);
        Ok(StoredProgram {
            info: info.clone(),
            hash: hash.to_hex().to_string(),
        })
    }
}

/// Writes a file under a temporary name and renames it, so that a reader never finds half of it.
pub(super) fn write_whole(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    // As readable as any other file of its directory, not as private as temporary files are.
    let mut file = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    std::io::Write::write_all(&mut file, contents)?;
    file.persist(path)?;
    Ok(())
}

/// Returns size and modification time of a file, which change when it is written.
fn stamp(file: &Path) -> Result<String, BuildError> {
    let data = std::fs::metadata(file).map_err(BuildError::file("reading the size of", file))?;
    Ok(format!(
        "{} {} {}.{}",
        data.len(),
        data.ino(),
        data.mtime(),
        data.mtime_nsec()
    ))
}
