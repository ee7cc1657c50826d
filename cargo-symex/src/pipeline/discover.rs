//! Builds what the user chose, finds the harnesses in it, and loads their programs.

use super::error::CommandError;
use super::event::{Monitor, Notice};
use super::fuzz_closure;
use super::meta::{self, MetaError};
use super::names;
use super::test_source;
use crate::build::{
    self, BuildError, BuildOptions, Executables, FUZZ_INITIALISE, FuzzInterface, LinkedCode, Roots,
    TestTarget,
};
use crate::confirm::target::NativeTarget;
use crate::harness::{HarnessKind, TestHarness};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use symex_bitcode::link::{HarnessRoot, LinkError, PropertyLibrary};
use symex_engine::{Entry, FuzzTarget, models};
use symex_program::{FuncId, Program};

/// A harness and the test executable that contains it.
#[derive(Clone)]
pub struct FoundHarness {
    pub harness: TestHarness,
    root: FoundRoot,
    pub target: Arc<NativeTarget>,
}

/// The function of a harness that is called.
#[derive(Clone)]
enum FoundRoot {
    Harness(HarnessRoot),
    /// The function of this demangled path.
    PropertyTest(String),
    FuzzTarget(FuzzInterface),
}

/// A harness with the program that is explored.
#[derive(Clone)]
pub struct LoadedHarness {
    pub harness: TestHarness,
    pub target: Arc<NativeTarget>,
    pub code: Arc<SharedCode>,
    /// The symbol of the harness's entry in that program.
    entry: String,
}

/// The program that harnesses of one test executable share, decoded on demand.
pub struct SharedCode {
    linked: LinkedCode,
    target: Arc<NativeTarget>,
    roots: Roots,
    program: OnceLock<Result<Arc<Program>, CommandError>>,
}

impl SharedCode {
    /// Returns the program's identifier; equal programs have equal ones.
    pub fn id(&self) -> &str {
        &self.linked.id
    }

    /// Returns the program, decoded on first use.
    pub fn program(&self) -> Result<Arc<Program>, CommandError> {
        let read = || {
            let program = self.target.built().read(&self.linked, &self.roots);
            let mut program = program.map_err(CommandError::from)?;
            models::declare_looked_up(&mut program);
            Ok(Arc::new(program))
        };
        self.program.get_or_init(read).clone()
    }
}

impl LoadedHarness {
    /// Returns the symbol of the harness's entry.
    pub fn symbol(&self) -> &str {
        &self.entry
    }

    /// Returns the function to explore, with its program.
    pub fn start(&self) -> Result<(Arc<Program>, Entry), CommandError> {
        let (program, function) = self.entry()?;
        let entry = match self.harness.kind {
            HarnessKind::Harness
            | HarnessKind::KaniProof
            | HarnessKind::QuickCheckTest
            | HarnessKind::BoleroTest => Entry::Harness(function),
            HarnessKind::PropertyTest => Entry::PropertyTest(function),
            HarnessKind::FuzzTarget if self.target.built().asks_for_input() => {
                Entry::FuzzProgram(function)
            }
            HarnessKind::FuzzTarget => Entry::FuzzTarget(FuzzTarget {
                initialise: program.function_names.get(FUZZ_INITIALISE).copied(),
                function,
            }),
        };
        Ok((program, entry))
    }

    /// Returns the program and the harness's entry in it.
    pub fn entry(&self) -> Result<(Arc<Program>, FuncId), CommandError> {
        let program = self.code.program()?;
        let entry = program.function_names.get(&self.entry).copied();
        let entry = entry.ok_or_else(|| lost(&self.harness.name, "its code"))?;
        Ok((program, entry))
    }
}

/// What there is to explore in the chosen targets.
pub struct Discovered {
    /// What was asked for, sorted by name.
    pub found: Vec<FoundHarness>,
    /// What was seen, asked for or not.
    pub seen: Counts,
}

/// How many there are of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub harnesses: usize,
    pub with_proptest: usize,
    pub with_quickcheck: usize,
    pub with_bolero: usize,
}

/// Finds what there is to explore of a kind in the chosen targets. Nothing is linked for that.
pub fn discover(
    options: &BuildOptions,
    kind: TestKind,
    monitor: &dyn Monitor,
) -> Result<Discovered, CommandError> {
    let of_harnesses = match options.executables {
        Executables::KaniProofs => HarnessKind::KaniProof,
        _ => HarnessKind::Harness,
    };
    let (mut found, mut seen) = (Vec::<FoundHarness>::new(), Counts::default());
    let mut is_partial = false;
    for target in built(options, monitor)? {
        is_partial |= target.is_of_partial_build;
        let of = |library| {
            let tests = target.property_tests.iter();
            tests.filter(|test| test.library == library).count()
        };
        seen.harnesses += target.harnesses.len();
        seen.with_proptest += of(PropertyLibrary::Proptest);
        seen.with_quickcheck += of(PropertyLibrary::QuickCheck);
        seen.with_bolero += of(PropertyLibrary::Bolero);
        match kind {
            TestKind::Harness => {
                warn_of_left_out(&target, monitor);
                of_target(target, of_harnesses, &mut found)?;
            }
            TestKind::Property(library) => property_tests(target, library, &mut found),
        }
    }
    if is_partial {
        let help = "cargo's messages above say why: a proof is compiled as a part of the tests";
        monitor.notice(Notice::Warning {
            text: "some tests do not compile, and their proofs are left out".to_owned(),
            help: Some(help.to_owned()),
        });
    }
    names::assign(
        found
            .iter_mut()
            .map(|found: &mut FoundHarness| &mut found.harness),
    );
    found.sort_by(|a, b| a.harness.name.cmp(&b.harness.name));
    Ok(Discovered { found, seen })
}

/// Kind of what is explored in test executables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestKind {
    /// Functions with `#[symex::harness]`.
    Harness,
    /// Tests of properties by a library.
    Property(PropertyLibrary),
}

/// Adds the tests of properties of a test executable that are made with a library.
fn property_tests(target: TestTarget, library: PropertyLibrary, found: &mut Vec<FoundHarness>) {
    let package = target.manifest_path.parent();
    let package = package.unwrap_or(Path::new("")).to_owned();
    let target = Arc::new(NativeTarget::new(target));
    let info = target.built();
    let kind = match library {
        PropertyLibrary::Proptest => HarnessKind::PropertyTest,
        PropertyLibrary::QuickCheck => HarnessKind::QuickCheckTest,
        PropertyLibrary::Bolero => HarnessKind::BoleroTest,
    };
    let explorable = info.property_tests.iter().filter(|test| test.is_explorable);
    for test in explorable.filter(|test| test.library == library) {
        let (module, function) = test.path.rsplit_once("::").unwrap_or(("", &test.path));
        let modules: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
        let source = test_source::find(&info.source, &modules, function).unwrap_or_default();
        let module = match module {
            "" => test.krate.clone(),
            module => format!("{}::{module}", test.krate),
        };
        found.push(FoundHarness {
            harness: TestHarness {
                package: info.package.clone(),
                target: info.name.clone(),
                target_kind: info.kind.clone(),
                module,
                function: function.to_owned(),
                file: source.file.display().to_string(),
                line: source.line,
                column: source.column,
                args: source.args,
                ignored: source.ignored,
                should_panic: source.should_panic.then(String::new),
                manifest_dir: package.clone(),
                kind,
                ..TestHarness::default()
            },
            root: FoundRoot::PropertyTest(format!("{}::{}", test.krate, test.path)),
            target: target.clone(),
        });
    }
}

/// Adds the harnesses of this kind in an executable.
fn of_target(
    target: TestTarget,
    kind: HarnessKind,
    found: &mut Vec<FoundHarness>,
) -> Result<(), CommandError> {
    let Some(description) = target.description.clone() else {
        return Ok(());
    };
    let target = Arc::new(NativeTarget::new(target));
    let info = target.built();
    for root in &info.harnesses {
        let meta = root
            .meta
            .as_ref()
            .and_then(|symbol| description.global_names.get(symbol));
        let meta = *meta.ok_or_else(|| lost(&root.path, "its description"))?;
        let harness =
            meta::read(&description, meta).map_err(|error| meta_error(&root.path, &error))?;
        if harness.kind != kind {
            continue;
        }
        found.push(FoundHarness {
            harness: TestHarness {
                package: info.package.clone(),
                target: info.name.clone(),
                target_kind: info.kind.clone(),
                ..harness
            },
            root: FoundRoot::Harness(root.clone()),
            target: target.clone(),
        });
    }
    Ok(())
}

/// The fuzz targets of a build.
pub struct FoundFuzzTargets {
    /// Those that compile, sorted by name.
    pub targets: Vec<FoundHarness>,
    /// Whether others do not compile. Cargo has said why.
    pub is_partial: bool,
}

/// Builds, and tells how long that took.
fn built(options: &BuildOptions, monitor: &dyn Monitor) -> Result<Vec<TestTarget>, CommandError> {
    let begin = Instant::now();
    let targets = build::build(options)?;
    monitor.notice(Notice::Took {
        what: "the build",
        time: begin.elapsed(),
    });
    Ok(targets)
}

/// Finds all fuzz targets of a build. Nothing is linked for that.
pub fn fuzz_targets(
    options: &BuildOptions,
    monitor: &dyn Monitor,
) -> Result<FoundFuzzTargets, CommandError> {
    let mut found = Vec::new();
    let mut is_partial = false;
    for target in built(options, monitor)? {
        is_partial |= target.is_of_partial_build;
        let Some(interface) = target.fuzz_interface else {
            continue;
        };
        let package = target.manifest_path.parent();
        let package = package.unwrap_or(Path::new("")).to_owned();
        let source = std::fs::read_to_string(&target.source).unwrap_or_default();
        let file = target.source.strip_prefix(&package);
        let closure = fuzz_closure::find(&source).unwrap_or_default();
        found.push(FoundHarness {
            harness: TestHarness {
                name: target.name.clone(),
                package: target.package.clone(),
                target: target.name.clone(),
                target_kind: "fuzz".to_owned(),
                module: target.name.clone(),
                function: target.name.clone(),
                file: file.unwrap_or(&target.source).display().to_string(),
                line: closure.line,
                column: closure.column,
                args: closure.argument,
                manifest_dir: package,
                kind: HarnessKind::FuzzTarget,
                ..TestHarness::default()
            },
            root: FoundRoot::FuzzTarget(interface),
            target: Arc::new(NativeTarget::new(target)),
        });
    }
    found.sort_by(|a, b| a.harness.name.cmp(&b.harness.name));
    Ok(FoundFuzzTargets {
        targets: found,
        is_partial,
    })
}

/// Loads the programs of these harnesses, in their order: one program per test executable, with
/// what its harnesses reach.
pub fn load(
    found: &[FoundHarness],
    use_cache: bool,
    monitor: &dyn Monitor,
) -> Result<Vec<LoadedHarness>, CommandError> {
    let mut targets: Vec<&Arc<NativeTarget>> = Vec::new();
    for found in found {
        if !targets
            .iter()
            .any(|known| Arc::ptr_eq(known, &found.target))
        {
            targets.push(&found.target);
        }
    }
    monitor.notice(Notice::Stage(targets.len()));
    let link = |target: &&Arc<NativeTarget>| {
        let of_it = |found: &&FoundHarness| Arc::ptr_eq(&found.target, target);
        monitor.notice(Notice::Linking {
            target: &target.built().name,
        });
        let of_it = found.iter().filter(of_it).map(|found| &found.root);
        let linked = link_roots(target.built(), of_it, use_cache);
        monitor.notice(Notice::StepDone);
        let (linked, roots) = linked?;
        Ok(Arc::new(SharedCode {
            linked,
            target: Arc::clone(target),
            roots,
            program: OnceLock::new(),
        }))
    };
    let linked = build::in_parallel(&targets, link);
    monitor.notice(Notice::StageDone);
    let codes: Vec<Arc<SharedCode>> = linked.into_iter().collect::<Result<_, CommandError>>()?;
    let of = |found: &FoundHarness| {
        let mut number = targets.iter();
        let number = number.position(|target| Arc::ptr_eq(target, &found.target));
        let code = &codes[number.expect("its target is among them")];
        let entry = match &found.root {
            FoundRoot::FuzzTarget(interface) => interface.symbol().to_owned(),
            FoundRoot::PropertyTest(path) => {
                // The roots are in the order in which they were asked for.
                let symbols = code.linked.info.roots.iter();
                let Roots::Functions(asked) = &code.roots else {
                    return Err(lost(path, "its code"));
                };
                let mut named = asked.iter().zip(symbols);
                let named = named.find(|(asked, _)| *asked == path);
                named.ok_or_else(|| lost(path, "its code"))?.1.clone()
            }
            FoundRoot::Harness(root) => {
                let name = root.name();
                let mut linked = code.linked.info.harnesses.iter();
                let linked = linked.find(|root| root.name() == name);
                let linked = linked.ok_or_else(|| lost(&root.path, "its code"))?;
                linked.entry.clone()
            }
        };
        Ok(LoadedHarness {
            harness: found.harness.clone(),
            target: found.target.clone(),
            code: code.clone(),
            entry,
        })
    };
    found.iter().map(of).collect()
}

/// Links the program of harnesses of one executable, and returns the roots that it has.
fn link_roots<'a>(
    target: &TestTarget,
    found: impl Iterator<Item = &'a FoundRoot>,
    use_cache: bool,
) -> Result<(LinkedCode, Roots), CommandError> {
    let (mut harnesses, mut functions) = (Vec::new(), Vec::new());
    for root in found {
        match root {
            FoundRoot::Harness(root) => harnesses.push(root.clone()),
            FoundRoot::PropertyTest(path) => functions.push(path.clone()),
            FoundRoot::FuzzTarget(interface) => {
                let function = interface.symbol();
                let both = [FUZZ_INITIALISE, function].map(str::to_owned);
                let both = Roots::Functions(both.into());
                match target.program(&both, use_cache) {
                    Err(BuildError::Link {
                        source: LinkError::NoSuchRoot(name),
                        ..
                    }) if name == FUZZ_INITIALISE => {}
                    linked => return Ok((linked?, both)),
                }
                let alone = Roots::Functions(vec![function.to_owned()]);
                return Ok((target.program(&alone, use_cache)?, alone));
            }
        }
    }
    let roots = match functions.is_empty() {
        true => Roots::Harnesses(harnesses),
        false => Roots::Functions(functions),
    };
    Ok((target.program(&roots, use_cache)?, roots))
}

/// Decodes the programs of harnesses, each once.
pub fn decode<'a>(loaded: impl Iterator<Item = &'a LoadedHarness>) -> Result<(), CommandError> {
    let mut codes: Vec<&Arc<SharedCode>> = Vec::new();
    let mut needed = Vec::new();
    for loaded in loaded {
        if !codes.iter().any(|known| Arc::ptr_eq(known, &loaded.code)) {
            codes.push(&loaded.code);
        }
        needed.push(loaded);
    }
    build::in_parallel(&codes, |code| code.program());
    needed
        .into_iter()
        .try_for_each(|loaded| loaded.entry().map(drop))
}

/// Warns of harnesses that cannot be explored because of the crate they are in.
fn warn_of_left_out(target: &TestTarget, monitor: &dyn Monitor) {
    if target.left_out.is_empty() {
        return;
    }
    let names: Vec<String> = target
        .left_out
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let (s, is) = match names.len() {
        1 => ("", "is"),
        _ => ("es", "are"),
    };
    let text = format!(
        "the harness{s} {} of `{}` {is} left out: a proc-macro crate's tests run inside the compiler's host build and \
         cannot be explored",
        names.join(", "),
        target.package
    );
    let help = "move what is to be explored into an ordinary crate that the proc macro uses, or the harness into tests/";
    monitor.notice(Notice::Warning {
        text,
        help: Some(help.to_owned()),
    });
}

fn lost(path: &str, what: &str) -> CommandError {
    CommandError::usage(format!(
        "failed to find {what} of the harness `{path}` in the linked program"
    ))
    .help("a build of symex-runtime that does not belong to this cargo-symex does that")
}

fn meta_error(path: &str, error: &MetaError) -> CommandError {
    let message = format!("failed to read the description of the harness `{path}`: {error}");
    let help = match error {
        MetaError::Version { found } if *found > symex_abi::VERSION => {
            "update cargo-symex: cargo install cargo-symex"
        }
        MetaError::Version { .. } => "update the dependency: cargo update -p symex-runtime",
        MetaError::Malformed(_) => {
            "rebuild with `cargo clean`; if that does not help, please report it"
        }
    };
    CommandError::usage(message).help(help)
}
