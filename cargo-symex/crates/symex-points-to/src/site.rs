//! Constraints of calls: arguments to parameters, results back, and effects of functions that are
//! not analysed.

use super::effect::{Effect, EffectPlace, EffectStep};
use super::generate::{Generator, ValueSource};
use super::graph::PointerNode;
use super::library;
use super::object::{AbstractId, AbstractObject, OUTSIDE};
use symex_program::{Body, FuncId};

/// A call site, as far as pointers are concerned.
pub(super) struct Site {
    /// Function and index of the instruction; `None` for calls by the outside or by an effect.
    pub at: Option<(FuncId, u32)>,
    pub args: Vec<ValueSource>,
    /// Arguments that are passed as a private copy of their pointee, according to the call.
    pub copied: Vec<u32>,
    pub results: Vec<PointerNode>,
    /// Whether each result is too narrow to be followed.
    pub narrow: Vec<bool>,
}

impl Site {
    /// Makes the site of calls by the outside: their arguments and results are given at
    /// [`Generator::enter_from_outside`].
    pub fn from_outside() -> Self {
        Site {
            at: None,
            args: Vec::new(),
            copied: Vec::new(),
            results: Vec::new(),
            narrow: Vec::new(),
        }
    }

    fn arg(&self, i: u8) -> ValueSource {
        self.args
            .get(i as usize)
            .copied()
            .unwrap_or(ValueSource::Plain)
    }
}

/// Number of the site of the calls that the outside makes, which is the first.
const OUTSIDE_SITE: u32 = 0;

impl Generator<'_> {
    /// Handles a function, or another object, found at the callee of a site.
    pub fn found_callee(&mut self, site: u32, callee: AbstractId) {
        let function = match self.objects.get(callee) {
            AbstractObject::Function(f) => Some(f),
            AbstractObject::Outside => None,
            // A call of what is no function is a fault.
            _ => return,
        };
        let passed = self.sites[site as usize].args.len();
        let expected = |f: FuncId| self.program.function(f).params.len();
        if site != OUTSIDE_SITE && function.is_some_and(|f| expected(f) > passed) {
            // A fault, too; and where types are forgotten, what keeps most functions out of most
            // sites.
            return;
        }
        if !self.wired.insert((site, callee)) {
            return;
        }
        if site == OUTSIDE_SITE {
            if let Some(f) = function {
                self.enter_from_outside(f, true);
            }
            return;
        }
        let site_data = std::mem::replace(&mut self.sites[site as usize], Site::from_outside());
        match function {
            Some(f) => self.call(&site_data, f),
            None => self.call_outside(&site_data),
        }
        self.sites[site as usize] = site_data;
    }

    /// Returns the effect of a function that is not analysed.
    fn effect_of(&self, f: FuncId) -> Option<Effect> {
        let function = self.program.function(f);
        let told = (self.options.effects)(function);
        let looked_up = || match function.body.is_none() || self.options.trust_names {
            true => library::effect(&function.name),
            false => None,
        };
        told.or_else(looked_up)
    }

    fn body_of(&self, f: FuncId) -> Option<&'_ Body> {
        self.program.function(f).body.as_ref()
    }

    pub fn call(&mut self, site: &Site, f: FuncId) {
        if let Some(effect) = self.effect_of(f) {
            return self.perform(site, effect);
        }
        let program = self.program;
        let function = program.function(f);
        let Some(body) = &function.body else {
            self.unknown.insert(f);
            return self.call_outside(site);
        };
        let nodes = self.reach(f, body);
        for (i, &arg) in site.args.iter().enumerate() {
            let leaf = i as u32;
            if let Some(param) = function.params.get(i) {
                let node = PointerNode(nodes.slots.0 + leaf);
                match param.byval {
                    None => self.assign(node, arg),
                    Some(_) => {
                        let copy = self.parameter_copy(f, leaf, node);
                        let contents = self.behind(arg);
                        self.store(copy, contents);
                    }
                }
            } else if function.variadic {
                let area = self.object(AbstractObject::VariableArguments(f));
                // What is passed by value lies in the area itself.
                let arg = match site.at.filter(|_| site.copied.contains(&leaf)) {
                    None => arg,
                    Some((function, inst)) => {
                        let copy = self.object(AbstractObject::ArgumentCopy {
                            function,
                            inst,
                            leaf,
                        });
                        let contents = self.behind(arg);
                        self.store(ValueSource::Address(copy), contents);
                        contents
                    }
                };
                self.store(ValueSource::Address(area), arg);
            }
        }
        for (i, &result) in site.results.iter().enumerate().take(function.returns.len()) {
            let leaf = PointerNode(nodes.returns.0 + i as u32);
            self.graph.add_copy(leaf, result);
        }
    }

    /// Returns the address of a private copy, as the parameter gets it.
    fn parameter_copy(&mut self, function: FuncId, param: u32, node: PointerNode) -> ValueSource {
        let copy = self.object(AbstractObject::ParameterCopy { function, param });
        self.graph.add_member(node, copy);
        ValueSource::Address(copy)
    }

    /// Unifies the results of a direct call that have no other source with the callee's results.
    pub fn unify_results(&mut self, site: &Site, f: FuncId, alone: impl Fn(usize) -> bool) {
        if self.body_of(f).is_none() || self.effect_of(f).is_some() {
            return;
        }
        let Some(nodes) = self.functions[f.0 as usize] else {
            return;
        };
        let leaves = self.program.function(f).returns.len();
        for (i, &result) in site.results.iter().enumerate().take(leaves) {
            if alone(i) {
                self.graph
                    .unify(PointerNode(nodes.returns.0 + i as u32), result);
            }
        }
    }

    /// Adds the constraints of a call of a function by code that is not in the program.
    pub fn enter_from_outside(&mut self, f: FuncId, with_addresses: bool) {
        let program = self.program;
        let function = program.function(f);
        let argument = |width| match with_addresses && self.carries(width) {
            true => ValueSource::Address(OUTSIDE),
            false => ValueSource::Plain,
        };
        let args = function.params.iter().map(|p| argument(p.width));
        // Variable arguments follow, as many as there may be.
        let more = function.variadic.then_some(argument(64));
        let site = Site {
            args: args.chain(more).collect(),
            results: vec![self.escaped; function.returns.len()],
            narrow: vec![false; function.returns.len()],
            ..Site::from_outside()
        };
        self.call(&site, f);
    }

    /// Adds the constraints of a call of code that is not in the program: it may keep all that it
    /// is given, and return and throw all that it has.
    pub fn call_outside(&mut self, site: &Site) {
        for &arg in &site.args {
            self.assign(self.escaped, arg);
        }
        for (&result, &narrow) in site.results.iter().zip(&site.narrow) {
            if !narrow {
                self.graph.add_member(result, OUTSIDE);
            }
        }
        self.graph.add_member(self.thrown, OUTSIDE);
    }

    fn perform(&mut self, site: &Site, effect: Effect) {
        let accessed = match effect.contains(&EffectStep::Frees) {
            true => &[][..],
            false => &site.args[..],
        };
        for &arg in accessed {
            if let ValueSource::Node(n) = arg {
                self.graph.mark_accessed(n);
            }
        }
        for step in effect {
            match *step {
                EffectStep::Flow(from, to) => {
                    for value in self.values_at(site, from) {
                        self.put_at(site, to, value);
                    }
                }
                EffectStep::Call {
                    callee,
                    args,
                    result,
                } => self.call_back(site, site.arg(callee), args, result),
                EffectStep::Frees => {}
            }
        }
    }

    fn new_object(&mut self, site: &Site) -> ValueSource {
        ValueSource::Address(match site.at {
            Some((function, inst)) => self.object(AbstractObject::Heap { function, inst }),
            None => OUTSIDE,
        })
    }

    fn values_at(&mut self, site: &Site, place: EffectPlace) -> Vec<ValueSource> {
        match place {
            EffectPlace::Arg(i) => vec![site.arg(i)],
            EffectPlace::Behind(i) => vec![self.behind(site.arg(i))],
            EffectPlace::From(i) => site.args.iter().skip(i.into()).copied().collect(),
            EffectPlace::BehindFrom(i) => {
                let args = site.args.iter().skip(i.into());
                args.map(|arg| self.behind(*arg)).collect()
            }
            EffectPlace::New => vec![self.new_object(site)],
            EffectPlace::InNew => {
                let new = self.new_object(site);
                vec![self.behind(new)]
            }
            EffectPlace::Outside => vec![ValueSource::Address(OUTSIDE)],
            // These are only gone to.
            EffectPlace::Result | EffectPlace::Thrown => Vec::new(),
        }
    }

    fn put_at(&mut self, site: &Site, place: EffectPlace, value: ValueSource) {
        match place {
            EffectPlace::Behind(i) => self.store(site.arg(i), value),
            EffectPlace::BehindFrom(i) => {
                for &arg in site.args.iter().skip(i.into()) {
                    self.store(arg, value);
                }
            }
            EffectPlace::InNew => {
                let new = self.new_object(site);
                self.store(new, value);
            }
            EffectPlace::Result => {
                for (&result, &narrow) in site.results.iter().zip(&site.narrow) {
                    if !narrow {
                        self.assign(result, value);
                    }
                }
            }
            EffectPlace::Thrown => self.assign(self.thrown, value),
            EffectPlace::Outside => self.assign(self.escaped, value),
            // These are only come from.
            EffectPlace::Arg(_) | EffectPlace::From(_) | EffectPlace::New => {}
        }
    }

    /// Adds the constraints of a call of an argument by a function.
    fn call_back(
        &mut self,
        site: &Site,
        callee: ValueSource,
        args: &[EffectPlace],
        result: Option<EffectPlace>,
    ) {
        let mut values = Vec::new();
        for place in args {
            // A place of several values is one argument.
            let node = self.graph.node();
            for value in self.values_at(site, *place) {
                self.assign(node, value);
            }
            values.push(ValueSource::Node(node));
        }
        let returned = self.graph.node();
        if let Some(place) = result {
            self.put_at(site, place, ValueSource::Node(returned));
        }
        let call = Site {
            args: values,
            results: vec![returned],
            narrow: vec![false],
            ..Site::from_outside()
        };
        let call = self.add_site(call);
        match callee {
            ValueSource::Plain => {}
            ValueSource::Address(object) => self.found_callee(call, object),
            ValueSource::Node(node) => self.graph.add_call(node, call),
        }
    }
}
