//! The initial world of a program, as its user describes it: arguments and environment as objects,
//! standard input and files.

use crate::exec::EMPTY_ENVIRONMENT;
use crate::exec::Executor;
use crate::state::State;
use crate::state::file_system::{FileKind, Files, ROOT, known};
use crate::state::fuzz_input::{AFL_INPUT, AFL_LENGTH, FuzzInput};
use std::rc::Rc;
use std::sync::Arc;
use symex_memory::{Initial, Length, NewObject, ObjectKind};
use symex_program::{FuncId, LocId};
use symex_terms::{ObjectId, Value};
use symex_types::config::world::FileContents;
use symex_types::outcome::{Bound, Form, Role};

/// Alignment of what the system makes for a program: `1 << ALIGN_LOG2` bytes.
const ALIGN_LOG2: u8 = 4;

/// Sets up the environment of a path.
pub fn make_environment(executor: &mut Executor, state: &mut State) {
    let variables = &executor.config.world.variables;
    for (name, length) in variables {
        let shown: Arc<str> = format!("${name}").into();
        let role = Role::Variable { name: name.clone() };
        let value = executor.fresh_bytes(state, &shown, role, *length);
        let start = format!("{name}=").into_bytes();
        let text = symbolic_text(executor, state, &start, value);
        let value = Value::Ptr(text, start.len() as u64);
        let world = Rc::make_mut(&mut state.world);
        world.environment.set(name.as_bytes(), Some(value));
    }
    if !variables.is_empty() {
        Rc::make_mut(&mut state.world).environment.close();
    }
    executor.publish_environment(state);
}

/// Sets up standard input and files of a path. The working directory and one for temporary files
/// lie below the root, next to the few devices that every system has.
pub fn make_files(executor: &mut Executor, state: &mut State) {
    let world = &executor.config.world;
    let mut files = (*state.world.files).clone();
    if let Some(len) = world.stdin {
        let bytes = executor.fresh_bytes(state, &"stdin".into(), Role::Stdin, len);
        files.node_mut(Files::INPUT).kind = FileKind::Pipe(Rc::new(bytes.into()));
    }
    let home = files.make_directories(ROOT, &["home", "user"]);
    files.make_directories(ROOT, &["tmp"]);
    files.home = home;
    files.working_directory = home;
    let devices = files.make_directories(ROOT, &["dev"]);
    let null = files.add(FileKind::Null, 0o666);
    let [input, output, error] = Files::STANDARD;
    for (name, node) in [
        ("null", null),
        ("stdin", input),
        ("stdout", output),
        ("stderr", error),
    ] {
        files.link(devices, known(name.as_bytes()).into(), node);
    }
    for file in &world.files {
        let mut parts: Vec<&str> = file.name.split('/').collect();
        let last = parts.pop().unwrap_or_default();
        let directory = files.make_directories(home, &parts);
        let bytes = match &file.contents {
            FileContents::Given(bytes) => known(bytes),
            FileContents::Symbolic(len) => {
                let name = file.name.clone();
                let shown: Arc<str> = name.as_str().into();
                executor.fresh_bytes(state, &shown, Role::File { name }, *len)
            }
        };
        let node = files.add(FileKind::Regular(Rc::new(bytes)), 0o644);
        files.link(directory, known(last.as_bytes()).into(), node);
    }
    Rc::make_mut(&mut state.world).files = Rc::new(files);
}

/// Makes `argc`, `argv` and `envp` as far as `main` takes them: the given arguments, then symbolic
/// ones of these lengths.
pub fn main_arguments(
    executor: &mut Executor,
    state: &mut State,
    main: FuncId,
    given: &[String],
    lengths: &[u64],
) -> Vec<Value> {
    let count = given.len() + lengths.len();
    let mut texts: Vec<ObjectId> = Vec::with_capacity(count);
    for argument in given {
        let mut bytes = argument.as_bytes().to_vec();
        bytes.push(0);
        let size = bytes.len() as u64;
        let initial = Initial::Bytes(Rc::from(&bytes[..]));
        texts.push(object(state, size, None, ALIGN_LOG2, initial));
    }
    for (i, length) in lengths.iter().enumerate() {
        let number = (given.len() + i) as u32;
        let name: Arc<str> = format!("arg{number}").into();
        let bytes = executor.fresh_bytes(state, &name, Role::Argument { number }, *length);
        texts.push(symbolic_text(executor, state, b"", bytes));
    }
    let argv = object(
        state,
        8 * (count as u64 + 1),
        None,
        ALIGN_LOG2,
        Initial::Zero,
    );
    for (i, text) in texts.into_iter().enumerate() {
        let text = Value::Ptr(text, 0);
        let at = 8 * i as u64;
        state.memory.store(&mut executor.pool, argv, at, 64, text);
    }
    let params = executor.program.function(main).params.len();
    if params > 2 && executor.config.world.variables.is_empty() {
        executor.outcomes.tally.assume(EMPTY_ENVIRONMENT);
    }
    let envp = executor.environment_list(state);
    let all = [Value::Int(count as u64), Value::Ptr(argv, 0), envp];
    all[..params.min(3)].to_vec()
}

/// Makes the input of a fuzz target, and returns it as pointer and length. Its memory ends with it:
/// an access behind it is outside of an object.
pub fn fuzz_input(executor: &mut Executor, state: &mut State) -> [Value; 2] {
    let most = executor.config.max_input;
    let name: Arc<str> = "data".into();
    let width = (64 - most.leading_zeros()).max(1);
    let length = executor.input_variable(state, "data.len()".into(), width, most as u32);
    executor.give(state, length, |bytes| {
        u128::from(most.min(bytes.len() as u64))
    });
    let limit = executor.pool.constant(width, u128::from(most));
    let within = executor.pool.ule(length, limit);
    // The length is 0 so far, or that of the input that is followed.
    executor.narrow(state, within, None);
    let length = executor.pool.zext(length, 64);
    let bytes = executor.fresh_bytes(state, &name, Role::Program, most);
    state.inputs.change_last(|input| {
        (input.length, input.form) = (Some(length), Form::Bytes);
    });
    let bound = Bound::Size(format!("length of data <= {most}"));
    executor.outcomes.note_before(bound);
    let length_of_object = Length {
        term: length,
        least: 0,
    };
    // A slice of bytes promises no alignment.
    let data = object(state, most, Some(length_of_object), 0, Initial::Zero);
    for (at, byte) in bytes.into_iter().enumerate() {
        state
            .memory
            .store(&mut executor.pool, data, at as u64, 8, byte);
    }
    [Value::Ptr(data, 0), executor.pool.value(length)]
}

/// Makes the input of a program that asks a fuzzer for it, and sets AFL's variables as far as the
/// program refers to them.
pub fn offer_fuzz_input(executor: &mut Executor, state: &mut State) {
    let [data, length] = fuzz_input(executor, state);
    if let Some(variable) = executor.library_variable(AFL_INPUT, 8) {
        let pool = &mut executor.pool;
        state.memory.store(pool, variable, 0, 64, data);
    }
    if let Some(variable) = executor.library_variable(AFL_LENGTH, 8) {
        let count = object(state, 4, None, 2, Initial::Zero);
        let pool = &mut executor.pool;
        let narrow = pool.term(length, 64, |_| 0);
        let narrow = pool.extract(narrow, 0, 32);
        let narrow = pool.value(narrow);
        state.memory.store(pool, count, 0, 32, narrow);
        let place = Value::Ptr(count, 0);
        state.memory.store(pool, variable, 0, 64, place);
    }
    Rc::make_mut(&mut state.world).fuzz_input = Some(FuzzInput {
        data,
        length,
        is_taken: false,
    });
}

fn object(
    state: &mut State,
    size: u64,
    length: Option<Length>,
    align_log2: u8,
    initial: Initial,
) -> ObjectId {
    state.memory.allocate(NewObject {
        size,
        length,
        align_log2,
        kind: ObjectKind::Global,
        site: LocId::default(),
        birth: 0,
        initial,
    })
}

/// Makes a C string of symbolic bytes after some known ones. It ends, also as an object, with its
/// first zero: bytes that follow in a native run do not belong to the string.
fn symbolic_text(
    executor: &mut Executor,
    state: &mut State,
    start: &[u8],
    bytes: Vec<Value>,
) -> ObjectId {
    let room = (start.len() + bytes.len() + 1) as u64;
    let pool = &mut executor.pool;
    let zero = pool.constant(8, 0);
    let mut size = pool.constant(64, u128::from(room));
    for (i, byte) in bytes.iter().enumerate().rev() {
        let byte = pool.term(*byte, 8, |_| 0);
        let ends = pool.eq(byte, zero);
        let here = pool.constant(64, (start.len() + i + 1) as u128);
        size = pool.ite(ends, here, size);
    }
    let least = start.len() as u64 + 1;
    let length = (!bytes.is_empty()).then_some(Length { term: size, least });
    let text = object(state, room, length, ALIGN_LOG2, Initial::Zero);
    let start = start.iter().map(|byte| Value::Int(u64::from(*byte)));
    for (i, byte) in start.chain(bytes).enumerate() {
        let at = i as u64;
        state.memory.store(&mut executor.pool, text, at, 8, byte);
    }
    text
}
