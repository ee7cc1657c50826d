//! A test executable with its linked bitcode, and the way there.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::bitcode_process::{BitcodeProcess, Input};
use super::cache::{CachedProgram, ProgramCache};
use super::cargo::{self, TestArtifact};
use super::error::BuildError;
use super::manifest::LinkManifest;
use super::options::BuildOptions;
use super::sanitized::{self, Sanitized};
use super::{collect, native, object_files};
use crate::bitcode::link::{LinkOptions, ProgramInfo};
use crate::models;

/// Makes the text of a panic; the engine runs it where a panic that nothing catches ends a path.
const FORMAT: &str = "alloc::fmt::format::format_inner";

/// A test executable of the user's, as a program to execute.
#[derive(Clone, Debug)]
pub struct TestTarget {
    /// Name of the package.
    pub package: String,
    /// The package's `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Name of the target, as `--test NAME` takes it.
    pub name: String,
    /// `lib`, `bin`, `test`, `example`, …
    pub kind: String,
    /// Root source file of the target.
    pub source: PathBuf,
    /// The linked bitcode; `None` when the target has no harness.
    pub bitcode: Option<PathBuf>,
    /// Harnesses, undefined symbols and the like.
    pub info: ProgramInfo,
    /// Harnesses of a proc-macro crate: its tests are machine code for the compiler's machine, and nothing of them can be
    /// explored.
    pub left_out: Vec<String>,
    /// The directory of all that is built for this tool.
    pub target_dir: PathBuf,
    placeholder: PathBuf,
}

impl TestTarget {
    /// The test executable as machine code, to replay a finding with. Linked when it is first asked for.
    pub fn native_executable(&self) -> Result<PathBuf, BuildError> {
        native::executable(&self.placeholder)
    }

    /// The same with AddressSanitizer in it, where C belongs to it. Linked when it is first asked for.
    pub fn sanitized_executable(&self) -> Result<Option<Sanitized>, BuildError> {
        sanitized::executable(&self.placeholder)
    }
}

/// Builds the chosen test executables and links the bitcode of each. The order is that of package, kind and name.
pub fn build(options: &BuildOptions) -> Result<Vec<TestTarget>, BuildError> {
    let built = cargo::build(options)?;
    let cache = ProgramCache::open(&built.target_dir, &options.stand_in)?;
    let process = BitcodeProcess::new(&options.stand_in).in_directory(options.current_dir.clone());
    let link_options = LinkOptions {
        harnesses: true,
        roots: Vec::new(),
        helpers: vec![FORMAT.to_owned()],
        opaque: options.opaque.clone(),
        opaque_of_libc: models::on_strings().map(str::to_owned).collect(),
        library: options.library.clone(),
        passes: options.passes.clone(),
    };
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(built.tests.len());
    let next = Mutex::new(built.tests.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some((position, test)) = next.lock().expect("no thread panics").next()
                    else {
                        break;
                    };
                    let target = target(test, &built.target_dir, &cache, &process, &link_options);
                    done.lock()
                        .expect("no thread panics")
                        .push((position, target));
                }
            });
        }
    });
    let mut targets = done.into_inner().expect("no thread panics");
    targets.sort_by_key(|(position, _)| *position);
    targets.into_iter().map(|(_, target)| target).collect()
}

fn target(
    test: TestArtifact,
    target_dir: &Path,
    cache: &ProgramCache,
    process: &BitcodeProcess,
    options: &LinkOptions,
) -> Result<TestTarget, BuildError> {
    let (program, left_out) = if test.for_compiler {
        let program = CachedProgram {
            bitcode: None,
            info: ProgramInfo::default(),
        };
        (program, object_files::harnesses(&test.executable)?)
    } else {
        let program = program(&test.executable, &test.name, cache, process, options)?;
        (program, Vec::new())
    };
    Ok(TestTarget {
        package: test.package,
        manifest_path: test.manifest_path,
        name: test.name,
        kind: test.kind,
        source: test.source,
        bitcode: program.bitcode,
        info: program.info,
        left_out,
        target_dir: target_dir.to_owned(),
        placeholder: test.executable,
    })
}

fn program(
    executable: &Path,
    name: &str,
    cache: &ProgramCache,
    process: &BitcodeProcess,
    options: &LinkOptions,
) -> Result<CachedProgram, BuildError> {
    let (manifest, text) = LinkManifest::read(executable)?;
    let files = collect::input_files(&manifest);
    let key = cache.key(executable, &text, files.clone(), options)?;
    if let Some(known) = cache.find(&key)? {
        return Ok(known);
    }
    let process = match collect::sysroot(&files) {
        Some(sysroot) => &process.of_sysroot(sysroot),
        None => process,
    };
    let inputs = files.into_iter().map(|file| Input {
        file: file.path.into(),
        whole_archive: file.whole_archive,
        given: None,
    });
    let linked = process.link(name, inputs.collect(), options)?;
    cache.store(&key, &linked)
}
