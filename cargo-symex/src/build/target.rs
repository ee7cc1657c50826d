//! Builds test executables and links their bitcode to programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bitcode_process::{BitcodeProcess, FileToLink, PartStorage};
use super::cache::{LinkedCode, ProgramCache};
use super::cargo::{self, TestArtifact};
use super::collect::InputFile;
use super::error::BuildError;
use super::fuzz::FuzzInterface;
use super::manifest::LinkManifest;
use super::options::{BuildOptions, Executables};
use super::parallel::in_parallel;
use super::sanitized::{self, Sanitized};
use super::{collect, fuzz, native, object_files, tools};
use symex_bitcode::link::{HarnessRoot, Harnesses, LinkOptions, PropertyTest};
use symex_bitcode::passes::PassProfile;
use symex_engine::models;
use symex_program::Program;

/// The function that formats the text of a panic; the engine runs it if an uncaught panic ends a
/// path.
const FORMAT: &str = "alloc::fmt::format::format_inner";

/// The functions with which a program begins.
#[derive(Clone, Debug)]
pub enum Roots {
    Harnesses(Vec<HarnessRoot>),
    /// Functions by their symbols.
    Functions(Vec<String>),
}

/// A test executable of the user, or a fuzz target, as a program to execute.
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
    /// Its harnesses, ordered by path.
    pub harnesses: Vec<HarnessRoot>,
    /// Its tests of properties, ordered by path.
    pub property_tests: Vec<PropertyTest>,
    /// The program with only the harnesses' descriptions and no code; `None` if there are no
    /// harnesses.
    pub description: Option<Arc<Program>>,
    /// How it gets its input from a fuzzer, if this is a fuzz target.
    pub fuzz_interface: Option<FuzzInterface>,
    /// Whether others of the same build do not compile, and are left out.
    pub is_of_partial_build: bool,
    /// Harnesses of a proc-macro crate, which cannot be explored, because its tests are machine
    /// code for the compiler's machine.
    pub left_out: Vec<String>,
    /// The target directory for everything that this tool builds.
    pub target_dir: PathBuf,
    /// Tools that are missing to explore C, if any.
    pub missing_for_c: Option<String>,
    placeholder: PathBuf,
    linking: Arc<Linking>,
}

/// The shared means to link the programs of all test executables of a build.
#[derive(Debug)]
struct Linking {
    cache: ProgramCache,
    process: BitcodeProcess,
    options: LinkOptions,
    /// Directory of the stored parts of crates' libraries.
    parts: PathBuf,
}

impl TestTarget {
    /// Returns the program with these roots: what they reach, linked, prepared and translated. Uses
    /// the cache if nothing changed and `use_cache` allows.
    pub fn program(&self, roots: &Roots, use_cache: bool) -> Result<LinkedCode, BuildError> {
        let mut options = self.linking.options.clone();
        match roots {
            Roots::Harnesses(harnesses) => {
                let names = harnesses.iter().map(HarnessRoot::name).collect();
                options.harnesses = Harnesses::Chosen(names);
            }
            Roots::Functions(functions) => options.roots.clone_from(functions),
        }
        let (manifest, text) = LinkManifest::read(&self.placeholder)?;
        let files = collect::input_files(&manifest);
        let linked = Linked {
            executable: &self.placeholder,
            name: &self.name,
            manifest: &text,
        };
        let sysroot = collect::sysroot(&files);
        let linking = &self.linking;
        let parts = Some(linking.parts.as_path());
        linking.link(sysroot, linked, files, &options, parts, use_cache)
    }

    /// Decodes the program with these roots; a damaged one is linked again.
    pub fn read(&self, code: &LinkedCode, roots: &Roots) -> Result<Program, BuildError> {
        code.program()
            .or_else(|_| self.program(roots, false)?.program())
    }

    /// Reports whether this is a fuzz target that asks for its input, and is not called with it.
    pub fn asks_for_input(&self) -> bool {
        self.fuzz_interface == Some(FuzzInterface::Asks)
    }

    /// Returns the native executable, for replays of findings. It is linked on first use. That of a
    /// fuzz target takes a file with the input.
    pub fn native_executable(&self) -> Result<PathBuf, BuildError> {
        match self.fuzz_interface {
            Some(interface) => fuzz::native_executable(&self.placeholder, interface),
            None => native::executable(&self.placeholder),
        }
    }

    /// Returns the native executable with AddressSanitizer; `None` if it contains no C. It is
    /// linked on first use.
    pub fn sanitized_executable(&self) -> Result<Option<Sanitized>, BuildError> {
        sanitized::executable(&self.placeholder)
    }
}

/// Builds the chosen executables and finds the harnesses of each, ordered by package, kind and
/// name.
pub fn build(options: &BuildOptions) -> Result<Vec<TestTarget>, BuildError> {
    let built = cargo::build(options)?;
    let cache = ProgramCache::open(&built.target_dir, &options.stand_in)?;
    let process = BitcodeProcess::new(&options.stand_in).in_directory(options.current_dir.clone());
    // A directory that cannot be created is not used.
    let usable = |directory: &PathBuf| std::fs::create_dir_all(directory).is_ok();
    let parts = options.parts.clone().filter(usable);
    let in_target = || built.target_dir.join("parts");
    let linking = Arc::new(Linking {
        cache,
        process,
        parts: parts.unwrap_or_else(in_target),
        options: LinkOptions {
            harnesses: Harnesses::None,
            roots: Vec::new(),
            helpers: vec![FORMAT.to_owned()],
            opaque: options.opaque.clone(),
            opaque_of_libc: models::on_strings().map(str::to_owned).collect(),
            library: options.library.clone(),
            passes: options.passes.clone(),
        },
    });
    let missing = built.without_clang.map(tools::reads_c);
    let targets = in_parallel(&built.tests, |test| {
        let target = target(test, options.executables, &built.target_dir, &linking)?;
        Ok(TestTarget {
            is_of_partial_build: built.is_partial,
            missing_for_c: missing.clone(),
            ..target
        })
    });
    targets.into_iter().collect()
}

/// Returns the object files of an executable that are not in the archive of a library.
fn own_files(placeholder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let (manifest, _) = LinkManifest::read(placeholder)?;
    let files = collect::input_files(&manifest).into_iter();
    let files = files.map(|file| file.path);
    Ok(files
        .filter(|file| !object_files::is_archive(file))
        .collect())
}

fn target(
    test: &TestArtifact,
    executables: Executables,
    target_dir: &Path,
    linking: &Arc<Linking>,
) -> Result<TestTarget, BuildError> {
    let mut described = Described::default();
    let (mut left_out, mut fuzz_interface) = Default::default();
    match executables {
        Executables::FuzzTargets => {
            fuzz_interface = fuzz::interface(&own_files(&test.executable)?)?;
        }
        _ if test.for_compiler => left_out = object_files::harnesses(&test.executable)?,
        _ => described = linking.describe(test)?,
    }
    let Described {
        harnesses,
        property_tests,
        program: description,
    } = described;
    Ok(TestTarget {
        package: test.package.clone(),
        manifest_path: test.manifest_path.clone(),
        name: test.name.clone(),
        kind: test.kind.clone(),
        source: test.source.clone(),
        harnesses,
        property_tests,
        description,
        fuzz_interface,
        is_of_partial_build: false,
        left_out,
        target_dir: target_dir.to_owned(),
        missing_for_c: None,
        placeholder: test.executable.clone(),
        linking: linking.clone(),
    })
}

/// What there is to explore in a test executable.
#[derive(Default)]
struct Described {
    harnesses: Vec<HarnessRoot>,
    property_tests: Vec<PropertyTest>,
    /// The program with the descriptions of the harnesses, if there are any.
    program: Option<Arc<Program>>,
}

/// A test executable whose program is to be linked.
#[derive(Clone, Copy)]
struct Linked<'a> {
    executable: &'a Path,
    /// Name of the target, for messages.
    name: &'a str,
    /// The text of the link manifest.
    manifest: &'a [u8],
}

impl Linking {
    /// Reads what there is to explore in a test executable from its own object files, without
    /// reading archives or code.
    fn describe(&self, test: &TestArtifact) -> Result<Described, BuildError> {
        let (manifest, text) = LinkManifest::read(&test.executable)?;
        let mut files = collect::input_files(&manifest);
        let sysroot = collect::sysroot(&files);
        files.retain(|file| file.whole_archive || !object_files::is_archive(&file.path));
        let options = LinkOptions {
            harnesses: Harnesses::Descriptions,
            helpers: Vec::new(),
            library: None,
            passes: PassProfile::Minimal,
            ..self.options.clone()
        };
        let linked = Linked {
            executable: &test.executable,
            name: &test.name,
            manifest: &text,
        };
        let link = |use_cache| {
            let files = files.clone();
            self.link(sysroot.clone(), linked, files, &options, None, use_cache)
        };
        let code = link(true)?;
        let program = match code.info.harnesses.as_slice() {
            [] => None,
            _ => Some(code.program().or_else(|_| link(false)?.program())?),
        };
        Ok(Described {
            harnesses: code.info.harnesses,
            property_tests: code.info.property_tests,
            program: program.map(Arc::new),
        })
    }

    /// Links with the LLVM of the toolchain in a directory.
    fn link(
        &self,
        sysroot: Option<PathBuf>,
        linked: Linked<'_>,
        files: Vec<InputFile>,
        options: &LinkOptions,
        parts: Option<&Path>,
        use_cache: bool,
    ) -> Result<LinkedCode, BuildError> {
        let key = self
            .cache
            .key(linked.executable, linked.manifest, files.clone(), options)?;
        if use_cache && let Some(known) = self.cache.find(&key)? {
            return Ok(known);
        }
        let process = match sysroot {
            Some(sysroot) => &self.process.of_sysroot(sysroot),
            None => &self.process,
        };
        let inputs = files.into_iter().map(|file| FileToLink {
            file: file.path.into(),
            whole_archive: file.whole_archive,
            given: None,
        });
        let parts = parts.map(|directory| PartStorage {
            directory: directory.into(),
            is_read: use_cache,
            tool: self.cache.tool().to_owned(),
        });
        let (info, program) =
            process.link_and_translate(linked.name, inputs.collect(), options, parts)?;
        self.cache.store(&key, info, program)
    }
}
