//! Compatibility of call sites with callees. Where both sides are of one language, the leaves of
//! LLVM's types are compared. Between Rust and C the registers are compared: a structure that the
//! ABI passes in registers is `{i64, i64}` to rustc and `i64, i32` to clang, two floats are a
//! `double` to one and `<2 x float>` to the other, and an argument in memory is a pointer to one
//! and a number to the other. The ABI is that of x86-64 (System V).

use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, Res};
use crate::exec::{Executor, Value};
use crate::state::State;
use smallvec::SmallVec;
use std::ops::Range;
use symex_program::{CallSite, FuncId, Function, LocId, Marks};
use symex_terms::{ObjectId, Width};
use symex_types::outcome::FindingKind;

/// Arguments with their widths in bits.
pub(in crate::exec) type Args = SmallVec<[(Value, u32); 8]>;

/// Area in which the ABI passes arguments or results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Area {
    /// Integer registers, eight bytes each.
    Integers,
    /// Float and vector registers, sixteen bytes each.
    Vectors,
    Stack,
}

/// An argument or result, and where it is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PassedPiece {
    /// Range of its leaves.
    leaves: Range<usize>,
    area: Area,
    /// Range of its bytes in the area.
    bytes: Range<u64>,
    /// Alignment of the memory whose contents are passed, if the leaf is its address.
    memory: Option<u64>,
}

/// Leaves of arguments or results.
struct Leaves<'a> {
    widths: &'a [u32],
    floats: u64,
    joined: u64,
    /// Size and alignment of the memory whose address a leaf is, if the contents are passed.
    byval: &'a dyn Fn(usize) -> Option<(u64, u64)>,
}

/// Number of integer and of vector registers for arguments.
const FOR_ARGUMENTS: (u64, u64) = (6, 8);
const FOR_RESULTS: (u64, u64) = (2, 2);

fn bit(marks: u64, i: usize) -> bool {
    i < 64 && marks >> i & 1 == 1
}

/// Returns the number of bytes that hold `width` bits.
fn bytes(width: u32) -> u64 {
    u64::from(width).div_ceil(8)
}

impl Leaves<'_> {
    /// Returns where each leaf is passed; `None` if this ABI has no place for it, or the engine
    /// does not know it.
    fn placed(&self, (integers, vectors): (u64, u64)) -> Option<Vec<PassedPiece>> {
        if self.widths.len() > 64 {
            return None;
        }
        let mut used = (0, 0, 0u64);
        let mut pieces = Vec::new();
        let mut first = 0;
        while first < self.widths.len() {
            let mut end = first + 1;
            while end < self.widths.len() && bit(self.joined, end) {
                end += 1;
            }
            let memory = (self.byval)(first);
            let size: u64 = self.widths[first..end].iter().map(|w| bytes(*w)).sum();
            let in_vectors = end - first > 1 || bit(self.floats, first);
            // Of x87's stack, of several registers, of a type of no language.
            let unknown = size > 16 || in_vectors && self.widths[first] == 80;
            let (area, from, len) = if let Some((size, align)) = memory {
                used.2 = used.2.next_multiple_of(align.max(8));
                (Area::Stack, used.2, size)
            } else if unknown {
                return None;
            } else if in_vectors && used.1 < vectors {
                used.1 += 1;
                (Area::Vectors, (used.1 - 1) * 16, size)
            } else if !in_vectors && used.0 + size.div_ceil(8) <= integers {
                let from = used.0 * 8;
                used.0 += size.div_ceil(8);
                (Area::Integers, from, size)
            } else {
                used.2 = used.2.next_multiple_of(if size > 8 { 16 } else { 8 });
                (Area::Stack, used.2, size)
            };
            if area == Area::Stack {
                if integers == FOR_RESULTS.0 {
                    return None;
                }
                used.2 += len.next_multiple_of(8);
            }
            pieces.push(PassedPiece {
                leaves: first..end,
                area,
                bytes: from..from + len,
                memory: memory.map(|m| m.1),
            });
            first = end;
        }
        Some(pieces)
    }
}

impl Executor<'_> {
    /// Converts the arguments to the callee's form, and reports whether its results have the
    /// caller's form. Unused results do no harm.
    pub(in crate::exec) fn fit(
        &mut self,
        st: &mut State,
        callee: FuncId,
        args: Args,
        site: &CallSite,
    ) -> Res<(Args, bool)> {
        let function = self.program.function(callee);
        let wrong_argument = wrong_argument(function, &args, site);
        let wrong_result = wrong_result(function, site);
        if wrong_argument.is_none() && wrong_result.is_none() {
            return Ok((args, true));
        }
        let fault = |what: String| {
            let message = format!("{} {what}", function.display);
            Err(Fault::new(FindingKind::InvalidCall, message).into())
        };
        let lenient = !function.variadic && !self.same_language(st, function);
        let results_fit = wrong_result.is_none();
        if let Some(what) = wrong_result {
            // Checked now, for it is wrong whatever the callee does.
            let places = results_of(function)
                .zip(results_at(site))
                .filter(|(from, to)| lenient && to.iter().all(|to| covers(from, to)));
            if places.is_none() {
                return fault(what);
            }
        }
        let Some(what) = wrong_argument else {
            return Ok((args, results_fit));
        };
        let widths: Vec<u32> = args.iter().map(|a| a.1).collect();
        let given = Leaves {
            widths: &widths,
            floats: site.floats.args,
            joined: site.joined.args,
            byval: &|i| {
                let found = site.byval.iter().find(|b| b.0 as usize == i)?;
                Some((found.1, found.2))
            },
        };
        let widths: Vec<u32> = function.params.iter().map(|p| p.width).collect();
        let taken = Leaves {
            widths: &widths,
            floats: function.floats.args,
            joined: function.joined.args,
            byval: &|i| function.params[i].byval,
        };
        let places = given
            .placed(FOR_ARGUMENTS)
            .zip(taken.placed(FOR_ARGUMENTS))
            .filter(|(from, to)| lenient && to.iter().all(|to| covers(from, to)));
        let Some((from, to)) = places else {
            return fault(what);
        };
        let values: Vec<(Value, u32)> = args.into_vec();
        let values = self.pass(st, &from, &values, &to, &widths)?;
        Ok((values.into_iter().zip(widths).collect(), results_fit))
    }

    /// Converts results to the caller's form, for a call whose results were found to have another.
    pub(in crate::exec) fn fit_results(
        &mut self,
        st: &mut State,
        function: &Function,
        values: &[Value],
        site: &CallSite,
    ) -> Res<Vec<Value>> {
        let (Some(from), Some(to)) = (results_of(function), results_at(site)) else {
            unreachable!("the call has been checked");
        };
        let values: Vec<(Value, u32)> = values
            .iter()
            .copied()
            .zip(function.returns.iter().copied())
            .collect();
        self.pass(st, &from, &values, &to, &site.returns)
    }

    /// Reports whether the caller, which is the innermost frame, and a function are known to be of
    /// the same language.
    fn same_language(&self, st: &State, callee: &Function) -> bool {
        let language = |function: &Function| {
            let body = function.body.as_ref()?;
            body.locs.iter().find_map(|loc| self.is_rust(*loc))
        };
        match (self.runs_rust(st), language(callee)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// Reports whether the instruction that a path executes is Rust's, if that is known.
    pub(in crate::exec) fn runs_rust(&self, st: &State) -> Option<bool> {
        let top = &st.stack.top;
        let body = self.program.function(top.function).body.as_ref()?;
        self.is_rust(*body.locs.get(top.pc as usize)?)
    }

    /// Reports whether a place in the source is in a file of Rust, if that is known.
    fn is_rust(&self, loc: LocId) -> Option<bool> {
        let loc = self.program.locs.get(loc)?;
        let file = self.program.locs.files.get(loc.file as usize)?;
        (!file.is_empty()).then(|| file.ends_with(".rs"))
    }

    /// Converts values from one form to another, through memory laid out like the registers and the
    /// stack. Bytes in which nothing was passed have no defined value.
    fn pass(
        &mut self,
        st: &mut State,
        from: &[PassedPiece],
        values: &[(Value, u32)],
        to: &[PassedPiece],
        widths: &[u32],
    ) -> Res<Vec<Value>> {
        let mut passed = Vec::with_capacity(widths.len());
        for piece in to {
            let same = from.iter().find(|f| {
                f.area == piece.area
                    && f.bytes == piece.bytes
                    && f.memory.is_some() == piece.memory.is_some()
                    && (piece.memory.is_some()
                        || f.leaves
                            .clone()
                            .map(|i| values[i].1)
                            .eq(widths[piece.leaves.clone()].iter().copied()))
            });
            if let Some(same) = same {
                passed.extend(values[same.leaves.clone()].iter().map(|v| v.0));
                continue;
            }
            let overlapping = || from.iter().filter(|f| overlap(f, piece));
            let begin = overlapping().map(|f| f.bytes.start).min();
            let begin = begin.unwrap_or(piece.bytes.start).min(piece.bytes.start);
            let end = overlapping().map(|f| f.bytes.end).max().unwrap_or(0);
            let size = end.max(piece.bytes.end) - begin;
            let align = piece.memory.unwrap_or(1).max(1).trailing_zeros() as u8;
            let image = self.allocate_stack(st, Extent::known(size), align);
            for source in overlapping() {
                self.write_piece(st, image, source.bytes.start - begin, source, values)?;
            }
            let mut at = piece.bytes.start - begin;
            if piece.memory.is_some() {
                // The callee copies it; until then it is the caller's.
                st.stack.top.allocas.push(image);
                passed.push(Value::Ptr(image, at));
                continue;
            }
            for width in &widths[piece.leaves.clone()] {
                passed.push(self.read_bits(st, image, at, *width)?);
                at += bytes(*width);
            }
            st.memory.free(image);
        }
        Ok(passed)
    }

    fn write_piece(
        &mut self,
        st: &mut State,
        image: ObjectId,
        mut at: u64,
        piece: &PassedPiece,
        values: &[(Value, u32)],
    ) -> Res<()> {
        if piece.memory.is_some() {
            let size = piece.bytes.end - piece.bytes.start;
            let from = values[piece.leaves.start].0;
            let source = self.check_range(st, from, size, Access::Read)?;
            st.memory.copy(&mut self.pool, (image, at), source, size);
            return Ok(());
        }
        for (value, width) in &values[piece.leaves.clone()] {
            let whole = (bytes(*width) * 8) as Width;
            let value = match *value {
                // Smaller than a byte, as `bool` is: widened by zeros.
                Value::Expr(_) | Value::Int(_) if whole != *width => {
                    let term = self.term(st, *value, *width);
                    let term = self.pool.zext(term, whole);
                    self.pool.value(term)
                }
                value => value,
            };
            self.store(st, Value::Ptr(image, at), whole, 0, value)?;
            at += bytes(*width);
        }
        Ok(())
    }

    fn read_bits(&mut self, st: &mut State, image: ObjectId, at: u64, width: u32) -> Res<Value> {
        let whole = (bytes(width) * 8) as Width;
        let value = self.load(st, Value::Ptr(image, at), whole, 0)?;
        if whole == width || value == Value::Undef {
            return Ok(value);
        }
        let term = self.term(st, value, whole);
        let term = self.pool.extract(term, 0, width as Width);
        Ok(self.pool.value(term))
    }
}

fn overlap(a: &PassedPiece, b: &PassedPiece) -> bool {
    a.area == b.area && a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end
}

/// Reports whether something is passed where a piece is expected.
fn covers(from: &[PassedPiece], piece: &PassedPiece) -> bool {
    from.iter().any(|f| overlap(f, piece))
}

fn results_of(function: &Function) -> Option<Vec<PassedPiece>> {
    results(&function.returns, function.floats, function.joined)
}

fn results_at(site: &CallSite) -> Option<Vec<PassedPiece>> {
    results(&site.returns, site.floats, site.joined)
}

fn results(widths: &[u32], floats: Marks, joined: Marks) -> Option<Vec<PassedPiece>> {
    let leaves = Leaves {
        widths,
        floats: floats.results,
        joined: joined.results,
        byval: &|_| None,
    };
    leaves.placed(FOR_RESULTS)
}

fn kind(floats: u64, i: usize, width: u32) -> String {
    match bit(floats, i) {
        true => format!("a float of {width} bits"),
        false => format!("an integer of {width} bits"),
    }
}

/// Describes the first difference between the arguments of a call and the parameters, leaf by leaf.
/// Excess arguments are one for Rust's functions only: in C, they do no harm.
fn wrong_argument(function: &Function, args: &[(Value, u32)], site: &CallSite) -> Option<String> {
    let (takes, passed) = (function.floats.args, site.floats.args);
    let (takes_joined, passed_joined) = (function.joined.args, site.joined.args);
    for (i, (param, (_, width))) in function.params.iter().zip(args).enumerate() {
        let byval = !site.byval.is_empty() && site.byval.iter().any(|b| b.0 as usize == i);
        if param.width == *width
            && bit(takes, i) == bit(passed, i)
            && bit(takes_joined, i) == bit(passed_joined, i)
            && param.byval.is_some() == byval
        {
            continue;
        }
        let describe = |floats, width, memory| match memory {
            true => "memory".to_owned(),
            false => kind(floats, i, width),
        };
        let takes = describe(takes, param.width, param.byval.is_some());
        let passed = describe(passed, *width, byval);
        return Some(format!("takes {takes}, {passed} was passed"));
    }
    let (takes, passed) = (function.params.len(), args.len());
    (function.rust && !function.variadic && passed > takes)
        .then(|| format!("takes {takes} arguments, {passed} were passed"))
}

/// Describes the first difference between a function's results and the results that a call expects.
fn wrong_result(function: &Function, site: &CallSite) -> Option<String> {
    let (gives, expected) = (function.floats.results, site.floats.results);
    let (gives_joined, expected_joined) = (function.joined.results, site.joined.results);
    for (i, width) in site.returns.iter().enumerate() {
        let given = function.returns.get(i);
        if given == Some(width)
            && bit(gives, i) == bit(expected, i)
            && bit(gives_joined, i) == bit(expected_joined, i)
        {
            continue;
        }
        let given = given.map_or("nothing".to_owned(), |given| kind(gives, i, *given));
        let expected = kind(expected, i, *width);
        return Some(format!("returns {given}, {expected} is expected"));
    }
    None
}
