//! Fingerprints of a small program that refers to functions and globals in every possible way, laid
//! out in different orders.

use super::*;
use symex_program::{Edge, Loc, LocTable, Marks, Operand, Param, Slot, Switch, check};

/// The parts of the program, before they are numbered.
#[derive(Clone)]
struct Plan {
    /// Names in the order of their numbers.
    functions: Vec<&'static str>,
    globals: Vec<&'static str>,
    /// Number of unused locations and reasons that come before those of the harness.
    before: u32,
    /// A single change to the program.
    change: Change,
}

type Change = fn(&mut Program, &Names);

/// Numbers by name.
struct Names {
    functions: FxHashMap<&'static str, FuncId>,
    globals: FxHashMap<&'static str, GlobalId>,
}

impl Names {
    fn function<'a>(&self, program: &'a mut Program, name: &str) -> &'a mut Function {
        &mut program.functions[self.functions[name].0 as usize]
    }

    fn body<'a>(&self, program: &'a mut Program, name: &str) -> &'a mut Body {
        self.function(program, name).body.as_mut().unwrap()
    }

    fn global<'a>(&self, program: &'a mut Program, name: &str) -> &'a mut Global {
        &mut program.globals[self.globals[name].0 as usize]
    }

    fn init<'a>(&self, program: &'a mut Program, name: &str) -> &'a mut Init {
        self.global(program, name).init.as_mut().unwrap()
    }
}

/// Functions of the program. `entry` calls `callee` and `external`, takes the address of `pointed`;
/// that reads `table`, which holds the addresses of `in_table`, `data` and `missing`. `start` is a
/// constructor, and reads `set`. Nothing reaches `apart` and `alone`.
const FUNCTIONS: [&str; 8] = [
    "entry", "callee", "external", "pointed", "in_table", "start", "apart", "personal",
];
const GLOBALS: [&str; 6] = ["table", "data", "missing", "set", "alone", "type"];

impl Plan {
    fn new() -> Self {
        Plan {
            functions: FUNCTIONS.into(),
            globals: GLOBALS.into(),
            before: 0,
            change: |_, _| {},
        }
    }

    fn changed(change: Change) -> Self {
        Plan {
            change,
            ..Plan::new()
        }
    }

    /// Returns the harness's fingerprint.
    fn reached(&self) -> Hash {
        let (program, entry) = self.program();
        Fingerprints::new(Arc::new(program)).reached(entry)
    }

    fn whole(&self) -> Hash {
        let (program, entry) = self.program();
        Fingerprints::new(Arc::new(program)).whole(entry)
    }

    fn program(&self) -> (Program, FuncId) {
        let numbered = |names: &[&'static str]| -> Vec<(&'static str, u32)> {
            names.iter().copied().zip(0u32..).collect()
        };
        let functions = numbered(&self.functions).into_iter();
        let globals = numbered(&self.globals).into_iter();
        let names = Names {
            functions: functions.map(|(name, i)| (name, FuncId(i))).collect(),
            globals: globals.map(|(name, i)| (name, GlobalId(i))).collect(),
        };
        let mut program = Program {
            functions: self
                .functions
                .iter()
                .map(|f| self.function(f, &names))
                .collect(),
            globals: self.globals.iter().map(|g| global(g, &names)).collect(),
            locs: self.locs(),
            constructors: vec![names.functions["start"]],
            reasons: (0..self.before).map(|i| format!("other {i}")).collect(),
            ..Program::default()
        };
        program.reasons.push("because".to_owned());
        for (name, id) in &names.functions {
            program.function_names.insert((*name).to_owned(), *id);
        }
        for (name, id) in &names.globals {
            program.global_names.insert((*name).to_owned(), *id);
        }
        (self.change)(&mut program, &names);
        check::check(&program).unwrap();
        (program, names.functions["entry"])
    }

    fn locs(&self) -> LocTable {
        let mut files: Vec<String> = (0..self.before).map(|i| format!("{i}.rs")).collect();
        let file = files.len() as u32;
        files.push("lib.rs".to_owned());
        let loc = |line, inlined_at| Loc {
            file,
            line,
            column: 5,
            scope: 0,
            inlined_at,
        };
        let mut locs = vec![Loc::default(); 1 + self.before as usize];
        let outer = LocId(locs.len() as u32);
        locs.push(loc(10, None));
        locs.push(loc(20, Some(outer)));
        LocTable {
            locs,
            files,
            scopes: vec!["f".to_owned()],
            declared: vec![9],
        }
    }

    fn function(&self, name: &str, names: &Names) -> Function {
        let inner = LocId(self.before + 2);
        let ret = Inst::Ret { first: 0, count: 0 };
        let code = match name {
            "entry" => vec![
                Inst::Call { site: 0 },
                Inst::Call { site: 1 },
                Inst::Move {
                    dst: Slot(1),
                    a: Operand::constant(0),
                },
                Inst::LandingPad {
                    dst: Slot(1),
                    pad: 0,
                },
                Inst::Unsupported {
                    reason: self.before,
                },
            ],
            _ => vec![ret],
        };
        let mut body = Body {
            locs: vec![inner; code.len()],
            code,
            blocks: vec![0],
            slots: 4,
            edges: vec![Edge {
                target: 0,
                block: 0,
                moves: (0, 0),
            }],
            ..Body::default()
        };
        match name {
            "entry" => {
                body.calls = vec![
                    call(Callee::Direct(names.functions["callee"])),
                    call(Callee::Direct(names.functions["external"])),
                ];
                body.constants = vec![
                    Constant::Function(names.functions["pointed"]),
                    Constant::Int(7),
                ];
                body.landing_pads = vec![LandingPad {
                    cleanup: true,
                    catches: vec![None],
                    filters: false,
                }];
                body.switches = vec![Switch {
                    cases: vec![(3, 0)],
                    default: 0,
                }];
            }
            "pointed" => body.constants = vec![Constant::Global(names.globals["table"], 8)],
            "start" => body.constants = vec![Constant::Global(names.globals["set"], 0)],
            "callee" => body.constants = vec![Constant::Block(names.functions["callee"], 0)],
            _ => {}
        }
        Function {
            name: name.to_owned(),
            display: name.to_owned(),
            params: vec![Param::of_width(32)],
            returns: Vec::new(),
            floats: Marks::default(),
            joined: Marks::default(),
            variadic: false,
            body: (name != "external").then_some(body),
            noreturn: false,
            rust: false,
        }
    }
}

fn call(callee: Callee) -> CallSite {
    CallSite {
        callee,
        args: vec![(Operand::slot(Slot(0)), 32)],
        byval: Vec::new(),
        variable: Vec::new(),
        dst: Slot(0),
        returns: Vec::new(),
        used: false,
        floats: Marks::default(),
        joined: Marks::default(),
        nounwind: false,
        normal: None,
        unwind: None,
    }
}

fn global(name: &str, names: &Names) -> Global {
    let reloc = |offset, target| Reloc {
        offset,
        size: 8,
        target,
        addend: 1,
        minus: None,
    };
    let init = Init {
        bytes: vec![1, 2, 3, 4],
        undef: vec![(4, 6)],
        relocs: match name {
            "table" => vec![
                reloc(8, RelocTarget::Function(names.functions["in_table"])),
                reloc(16, RelocTarget::Global(names.globals["data"])),
                reloc(24, RelocTarget::Global(names.globals["missing"])),
            ],
            _ => Vec::new(),
        },
    };
    Global {
        name: name.to_owned(),
        display: name.to_owned(),
        size: 32,
        align: 8,
        constant: false,
        thread_local: false,
        rust: false,
        init: (name != "missing").then_some(init),
    }
}

#[test]
fn numbers_do_not_matter() {
    let plain = Plan::new();
    let mut other = Plan::new();
    other.functions.reverse();
    other.globals.rotate_left(2);
    other.before = 3;
    assert_eq!(plain.reached(), other.reached());
    assert_ne!(plain.whole(), other.whole());
}

#[test]
fn what_is_not_reached_does_not_matter() {
    let plain = Plan::new();
    let mut other = Plan::new();
    other.functions.retain(|f| *f != "apart");
    other.functions.insert(0, "new");
    other.globals.retain(|g| *g != "alone");
    assert_eq!(plain.reached(), other.reached());
    let changed = Plan::changed(|p, n| {
        n.body(p, "apart").slots = 9;
        n.global(p, "alone").size = 64;
    });
    assert_eq!(plain.reached(), changed.reached());
    assert_ne!(plain.whole(), changed.whole());
}

#[test]
fn numbers_in_names_do_not_matter() {
    let one = Plan::changed(|p, n| n.global(p, "table").name = "vtable.3".to_owned());
    let two = Plan::changed(|p, n| n.global(p, "table").name = "vtable.17".to_owned());
    assert_eq!(one.reached(), two.reached());
    assert_eq!(unnumbered("anon.83b1.12"), unnumbered("anon.1f2c.3"));
    assert_eq!(unnumbered(".str.1.2"), ".str");
    assert_eq!(unnumbered("alloc_1.x"), "alloc_1.x");
}

/// All kinds of changes that may affect an outcome.
const CHANGES: &[(&str, Change)] = &[
    ("an instruction", |p, n| {
        n.body(p, "callee").code[0] = Inst::Unreachable;
    }),
    ("a reason", |p, _| {
        *p.reasons.last_mut().unwrap() = "why".to_owned()
    }),
    ("a line", |p, _| p.locs.locs.last_mut().unwrap().line = 21),
    ("a column", |p, _| {
        p.locs.locs.last_mut().unwrap().column = 6
    }),
    ("where it was inlined", |p, _| {
        let at = p.locs.locs.len() - 2;
        p.locs.locs[at].line = 11;
    }),
    ("a file", |p, _| {
        *p.locs.files.last_mut().unwrap() = "main.rs".to_owned()
    }),
    ("a scope", |p, _| p.locs.scopes[0] = "g".to_owned()),
    ("slots", |p, n| n.body(p, "in_table").slots = 5),
    ("a move of an edge", |p, n| {
        let body = n.body(p, "in_table");
        body.moves.push((Slot(1), Operand::slot(Slot(0))));
        body.edges[0].moves = (0, 1);
    }),
    ("a case", |p, n| {
        n.body(p, "entry").switches[0].cases[0].0 = 4
    }),
    ("a constant", |p, n| {
        n.body(p, "entry").constants[1] = Constant::Int(8)
    }),
    ("a catch", |p, n| {
        n.body(p, "entry").landing_pads[0].catches[0] = Some(n.globals["type"]);
    }),
    ("an argument", |p, n| {
        n.body(p, "entry").calls[0].args[0].1 = 16
    }),
    ("another callee", |p, n| {
        n.body(p, "entry").calls[0].callee = Callee::Direct(n.functions["personal"]);
    }),
    ("callees the other way round", |p, n| {
        n.body(p, "entry").calls.swap(0, 1)
    }),
    ("a block's address", |p, n| {
        n.body(p, "callee").constants[0] = Constant::Function(n.functions["callee"]);
    }),
    ("an offset", |p, n| {
        n.body(p, "pointed").constants[0] = Constant::Global(n.globals["table"], 16);
    }),
    ("a parameter", |p, n| {
        n.function(p, "callee").params[0].width = 64
    }),
    ("a result", |p, n| n.function(p, "callee").returns = vec![8]),
    ("a float", |p, n| n.function(p, "callee").floats.args = 1),
    ("a lane", |p, n| n.function(p, "callee").joined.args = 2),
    ("nounwind", |p, n| {
        n.body(p, "entry").calls[0].nounwind = true
    }),
    ("varargs", |p, n| n.function(p, "callee").variadic = true),
    ("noreturn", |p, n| n.function(p, "callee").noreturn = true),
    ("a name in reports", |p, n| {
        n.function(p, "callee").display = "other".to_owned()
    }),
    ("the name of an external", |p, n| {
        n.function(p, "external").name = "malloc".to_owned()
    }),
    ("the type of an external", |p, n| {
        n.function(p, "external").returns = vec![64]
    }),
    ("a body for an external", |p, n| {
        let body = Body {
            code: vec![Inst::Unreachable],
            locs: vec![LocId(0)],
            blocks: vec![0],
            slots: 1,
            ..Body::default()
        };
        n.function(p, "external").body = Some(body);
    }),
    ("weakness", |p, n| {
        p.weak_functions.push(n.functions["external"])
    }),
    ("native code", |p, _| {
        p.native.push(("external".to_owned(), "lib.a".to_owned()))
    }),
    ("contents", |p, n| n.init(p, "data").bytes[2] = 9),
    ("contents that a constructor reads", |p, n| {
        n.init(p, "set").bytes[2] = 9
    }),
    ("what is undef", |p, n| n.init(p, "data").undef[0] = (4, 7)),
    ("a size", |p, n| n.global(p, "data").size = 40),
    ("an alignment", |p, n| n.global(p, "data").align = 16),
    ("constness", |p, n| n.global(p, "data").constant = true),
    ("a thread's own", |p, n| {
        n.global(p, "data").thread_local = true
    }),
    ("an addend", |p, n| n.init(p, "table").relocs[1].addend = 2),
    ("a difference", |p, n| {
        let table = n.globals["table"];
        n.init(p, "table").relocs[1].minus = Some((RelocTarget::Global(table), 0));
    }),
    ("targets the other way round", |p, n| {
        let relocs = &mut n.init(p, "table").relocs;
        let target = relocs[1].target;
        relocs[1].target = relocs[2].target;
        relocs[2].target = target;
    }),
    ("the name of an external global", |p, n| {
        n.global(p, "missing").name = "x".to_owned()
    }),
    ("a weak global", |p, n| {
        p.weak_globals.push(n.globals["missing"])
    }),
    ("a global that the engine knows by name", |p, n| {
        p.global_names
            .insert("environ".to_owned(), n.globals["data"]);
    }),
    ("a function of the constructors", |p, n| {
        n.body(p, "start").slots = 5
    }),
    ("one more constructor", |p, n| {
        p.constructors.push(n.functions["apart"])
    }),
    ("a destructor", |p, n| {
        p.destructors.push(n.functions["apart"])
    }),
    ("no constructor", |p, _| p.constructors.clear()),
    ("what a model enters", |p, n| {
        n.function(p, "apart").display = models::ENTERED[0].to_owned();
    }),
];

#[test]
fn every_kind_of_change_matters() {
    let mut seen: FxHashMap<Hash, &str> = FxHashMap::default();
    seen.insert(Plan::new().reached(), "nothing");
    for (what, change) in CHANGES {
        let hash = Plan::changed(*change).reached();
        if let Some(other) = seen.insert(hash, what) {
            panic!("changing {what} is the same as {other}");
        }
    }
}

#[test]
fn each_entry_has_a_fingerprint_of_its_own() {
    let (program, entry) = Plan::new().program();
    let callee = program.function_names["callee"];
    let mut fingerprints = Fingerprints::new(Arc::new(program));
    let alone = fingerprints.reached(callee);
    assert_ne!(fingerprints.reached(entry), alone);
    assert_eq!(fingerprints.reached(callee), alone);
    assert_ne!(fingerprints.whole(entry), fingerprints.whole(callee));
}
