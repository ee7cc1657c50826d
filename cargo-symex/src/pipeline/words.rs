//! Words: the values that a harness's code mentions, which inputs may have to equal.
//!
//! They are taken from the code that is reached from the harness, the nearest first: numbers from
//! comparisons and the like, texts from constants that could be those of strings.

use std::collections::{HashSet, VecDeque};
use symex_abi::pre_runs::Word;
use symex_program::{Body, Callee, Constant, FuncId, Global, GlobalId, Init, Inst, Operand};
use symex_program::{Program, RelocTarget};

/// Greatest number of words of a kind.
const MOST: usize = 256;

/// Greatest number of functions that are looked at.
const FUNCTIONS: usize = 2000;

/// Greatest number of bytes of a text.
const LONGEST: u64 = 24;

/// Greatest number that is too small to be worth mentioning.
const SMALL: u64 = 16;

/// Returns the words of the code that is reached from a function.
pub(super) fn words(program: &Program, entry: FuncId) -> Vec<Word> {
    let mut reach = Reach {
        functions: VecDeque::from([entry]),
        globals: VecDeque::new(),
        seen: HashSet::from([Node::Function(entry)]),
        numbers: Vec::new(),
        texts: Vec::new(),
    };
    for _ in 0..FUNCTIONS {
        let Some(function) = reach.functions.pop_front() else {
            break;
        };
        if let Some(body) = &program.function(function).body {
            reach.body(body);
        }
        while let Some(global) = reach.globals.pop_front() {
            reach.global(program.global(global));
        }
    }
    let numbers = reach.numbers.into_iter().take(MOST).map(Word::Number);
    let texts = reach.texts.into_iter().take(MOST).map(Word::Text);
    numbers.chain(texts).collect()
}

#[derive(PartialEq, Eq, Hash)]
enum Node {
    Function(FuncId),
    Global(GlobalId),
}

/// What has been reached, and is still to be looked at.
struct Reach {
    functions: VecDeque<FuncId>,
    globals: VecDeque<GlobalId>,
    seen: HashSet<Node>,
    numbers: Vec<u64>,
    texts: Vec<Vec<u8>>,
}

impl Reach {
    fn function(&mut self, function: FuncId) {
        if self.seen.insert(Node::Function(function)) {
            self.functions.push_back(function);
        }
    }

    fn variable(&mut self, global: GlobalId) {
        if self.seen.insert(Node::Global(global)) {
            self.globals.push_back(global);
        }
    }

    fn number(&mut self, number: u64) {
        if number > SMALL && self.numbers.len() < MOST && !self.numbers.contains(&number) {
            self.numbers.push(number);
        }
    }

    fn body(&mut self, body: &Body) {
        for inst in &body.code {
            match *inst {
                Inst::Cmp { a, b, .. }
                | Inst::FCmp { a, b, .. }
                | Inst::ThreeWay { a, b, .. }
                | Inst::Bin { a, b, .. }
                | Inst::Overflow { a, b, .. } => {
                    self.operand(body, a);
                    self.operand(body, b);
                }
                _ => {}
            }
        }
        for (case, _) in body.switches.iter().flat_map(|switch| &switch.cases) {
            self.number(*case as u64);
        }
        for constant in &body.constants {
            match *constant {
                Constant::Global(global, _) => self.variable(global),
                Constant::Function(function) => self.function(function),
                _ => {}
            }
        }
        for call in &body.calls {
            if let Callee::Direct(function) = call.callee {
                self.function(function);
            }
        }
    }

    fn operand(&mut self, body: &Body, operand: Operand) {
        if let Err(at) = operand.decode()
            && let Constant::Int(number) = body.constants[at as usize]
        {
            self.number(number);
        }
    }

    fn global(&mut self, global: &Global) {
        let Some(Init { bytes, relocs, .. }) = &global.init else {
            return;
        };
        for reloc in relocs {
            match reloc.target {
                RelocTarget::Global(global) => self.variable(global),
                RelocTarget::Function(function) => self.function(function),
                RelocTarget::Block(..) => {}
            }
        }
        let is_text = global.constant && relocs.is_empty() && (1..=LONGEST).contains(&global.size);
        if is_text && self.texts.len() < MOST && !self.texts.contains(bytes) {
            self.texts.push(bytes.clone());
        }
    }
}
