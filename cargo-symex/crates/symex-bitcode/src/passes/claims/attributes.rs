//! Claims as LLVM's attributes and metadata spell them.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMDIFileGetDirectory, LLVMDIScopeGetFile, LLVMGetSubprogram};
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeIndex, LLVMAttributeReturnIndex};
use rustc_hash::FxHashMap;
use symex_program::ParamClaim;

use super::super::super::ll::metadata_kind;
use super::super::super::llvm::kinds::{TypeKind, type_kind};
use super::super::super::llvm::language::is_rust;
use super::super::promises::kind;

/// The integers that a value may be: from `low` up to but not including `high`, wrapping around.
/// Equal bounds stand for all integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConstantRange {
    /// Width in bits, at most 64.
    pub width: u32,
    pub low: u64,
    pub high: u64,
}

impl ConstantRange {
    /// Largest integer of the width.
    pub fn most(self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// Reports whether an integer is in the range.
    pub fn has(self, value: u64) -> bool {
        let from_low = value.wrapping_sub(self.low) & self.most();
        let size = self.high.wrapping_sub(self.low) & self.most();
        size == 0 || from_low < size
    }

    /// Reports whether all of another range of the same width is in this one.
    pub fn covers(self, other: ConstantRange) -> bool {
        let distance = |to: u64| to.wrapping_sub(self.low) & self.most();
        let last = other.high.wrapping_sub(1) & other.most();
        self.width == other.width
            && other.low != other.high
            && self.has(other.low)
            && self.has(last)
            && distance(other.low) <= distance(last)
    }
}

/// Requirements on a reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// Bytes behind it that are there.
    pub bytes: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether it may be null, because it is a pointer and no reference.
    pub nullable: bool,
}

impl Reference {
    /// Returns the requirement on a pointer that it is aligned, and nothing else.
    pub fn aligned(align: u64) -> Reference {
        Reference {
            bytes: 0,
            align,
            nullable: true,
        }
    }
}

/// A place where something is said of a value.
#[derive(Clone, Copy)]
pub enum AttributePosition {
    /// The argument of this number at a call.
    Argument(LLVMValueRef, u32),
    /// The result of a call.
    ResultOf(LLVMValueRef),
    /// The parameter of this number of a function.
    Parameter(LLVMValueRef, u32),
    /// The result of a function.
    Result(LLVMValueRef),
}

/// Reader of claims. The numbers of LLVM's attributes and metadata are asked for once.
pub struct Attributes {
    module: LLVMModuleRef,
    no_undef: u32,
    non_null: u32,
    align: u32,
    dereferenceable: u32,
    range: u32,
    on_load: OnLoad,
    /// The ranges that attributes say, as far as asked. Attributes are unique in a context.
    ranges: std::cell::RefCell<FxHashMap<LLVMAttributeRef, Option<ConstantRange>>>,
}

/// Kinds of metadata on loads.
struct OnLoad {
    no_undef: u32,
    non_null: u32,
    align: u32,
    range: u32,
}

impl Attributes {
    pub fn of(module: LLVMModuleRef) -> Attributes {
        // SAFETY: the module is valid.
        let context = unsafe { LLVMGetModuleContext(module) };
        let metadata = |name: &str| metadata_kind(context, name);
        Attributes {
            module,
            no_undef: kind("noundef"),
            non_null: kind("nonnull"),
            align: kind("align"),
            dereferenceable: kind("dereferenceable"),
            range: kind("range"),
            on_load: OnLoad {
                no_undef: metadata("noundef"),
                non_null: metadata("nonnull"),
                align: metadata("align"),
                range: metadata("range"),
            },
            ranges: std::cell::RefCell::default(),
        }
    }

    fn get(&self, position: AttributePosition, kind: u32) -> Option<LLVMAttributeRef> {
        const RESULT: LLVMAttributeIndex = LLVMAttributeReturnIndex;
        // SAFETY: the position says what its value is.
        let attribute = unsafe {
            match position {
                AttributePosition::Argument(call, number) => {
                    LLVMGetCallSiteEnumAttribute(call, number + 1, kind)
                }
                AttributePosition::ResultOf(call) => {
                    LLVMGetCallSiteEnumAttribute(call, RESULT, kind)
                }
                AttributePosition::Parameter(function, number) => {
                    LLVMGetEnumAttributeAtIndex(function, number + 1, kind)
                }
                AttributePosition::Result(function) => {
                    LLVMGetEnumAttributeAtIndex(function, RESULT, kind)
                }
            }
        };
        (!attribute.is_null()).then_some(attribute)
    }

    /// Reports whether a value is said to be initialised.
    pub fn is_defined(&self, position: AttributePosition) -> bool {
        self.get(position, self.no_undef).is_some()
    }

    /// Returns the range that a value is said to be in.
    pub fn range(&self, position: AttributePosition) -> Option<ConstantRange> {
        let attribute = self.get(position, self.range)?;
        let known = self.ranges.borrow().get(&attribute).copied();
        known.unwrap_or_else(|| {
            // SAFETY: the attribute is one of a range, of the module's context.
            let range = unsafe { self.read(attribute) };
            self.ranges.borrow_mut().insert(attribute, range);
            range
        })
    }

    /// Reads the range of an attribute, which only its text shows: `range(i8 0, 2)`.
    unsafe fn read(&self, attribute: LLVMAttributeRef) -> Option<ConstantRange> {
        // SAFETY: the function is deleted before anything else sees it.
        unsafe {
            let context = LLVMGetModuleContext(self.module);
            let mut number = LLVMInt32TypeInContext(context);
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), &mut number, 1, 0);
            let function = LLVMAddFunction(self.module, c"symex.range".as_ptr(), ty);
            LLVMAddAttributeAtIndex(function, 1, attribute);
            let text = LLVMPrintValueToString(function);
            let range = parse_range(&CStr::from_ptr(text).to_string_lossy());
            LLVMDisposeMessage(text);
            LLVMDeleteFunction(function);
            range
        }
    }

    /// Returns what is said of a pointer, if it is said to be a reference.
    pub fn reference(&self, position: AttributePosition, value: LLVMValueRef) -> Option<Reference> {
        // SAFETY: only a value is asked for its type.
        if unsafe { type_kind(LLVMTypeOf(value)) } != TypeKind::Pointer {
            return None;
        }
        let number = |kind| {
            self.get(position, kind)
                // SAFETY: the attribute is one with a number.
                .map(|attribute| unsafe { LLVMGetEnumAttributeValue(attribute) })
        };
        let bytes = number(self.dereferenceable);
        if bytes.is_none() && self.get(position, self.non_null).is_none() {
            return None;
        }
        Some(Reference {
            bytes: bytes.unwrap_or(0),
            align: number(self.align).unwrap_or(1),
            nullable: false,
        })
    }

    /// Returns what a function's signature says of a parameter, if its argument must be
    /// initialised.
    pub fn of_param(&self, function: LLVMValueRef, number: u32) -> Option<ParamClaim> {
        let position = AttributePosition::Parameter(function, number);
        // SAFETY: the function has a parameter of this number.
        let param = unsafe { LLVMGetParam(function, number) };
        self.is_defined(position).then(|| ParamClaim {
            range: self.range(position).map(|range| (range.low, range.high)),
            reference: (self.reference(position, param))
                .map(|to| (to.bytes, to.align.trailing_zeros() as u8)),
        })
    }

    /// Returns the alignment in bytes that a pointer is said to have, if that is more than 1.
    pub fn align(&self, position: AttributePosition) -> Option<u64> {
        let align = self.get(position, self.align)?;
        // SAFETY: the attribute is one with a number.
        let align = unsafe { LLVMGetEnumAttributeValue(align) };
        (align > 1).then_some(align)
    }

    /// Reports whether the value of a load is said to be initialised.
    ///
    /// # Safety
    /// The value is a load.
    pub unsafe fn is_load_defined(&self, load: LLVMValueRef) -> bool {
        // SAFETY: as the caller says.
        unsafe { !LLVMGetMetadata(load, self.on_load.no_undef).is_null() }
    }

    /// Returns the range that the value of a load is said to be in, if that is one range.
    ///
    /// # Safety
    /// The value is a load.
    pub unsafe fn range_of_load(&self, load: LLVMValueRef) -> Option<ConstantRange> {
        // SAFETY: a range is a list of pairs of constants of the load's type.
        unsafe {
            let [low, high] = constants(LLVMGetMetadata(load, self.on_load.range))?[..] else {
                return None;
            };
            let width = LLVMGetIntTypeWidth(LLVMTypeOf(low));
            (width <= 64).then(|| ConstantRange {
                width,
                low: LLVMConstIntGetZExtValue(low),
                high: LLVMConstIntGetZExtValue(high),
            })
        }
    }

    /// Returns what is said of a pointer that is loaded, if it is said to be a reference.
    ///
    /// # Safety
    /// The value is a load.
    pub unsafe fn reference_of_load(&self, load: LLVMValueRef) -> Option<Reference> {
        // SAFETY: an alignment is one constant.
        unsafe {
            if LLVMGetMetadata(load, self.on_load.non_null).is_null() {
                return None;
            }
            let align = constants(LLVMGetMetadata(load, self.on_load.align));
            let align = align.and_then(|align| align.first().copied());
            Some(Reference {
                bytes: 0,
                align: align.map_or(1, |align| LLVMConstIntGetZExtValue(align)),
                nullable: false,
            })
        }
    }
}

/// Returns the operands of a metadata node whose operands are constants.
unsafe fn constants(node: LLVMValueRef) -> Option<Vec<LLVMValueRef>> {
    if node.is_null() {
        return None;
    }
    // SAFETY: as many are written as there is room for.
    unsafe {
        let mut all = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, all.as_mut_ptr());
        Some(all)
    }
}

/// Finds the range in a function's text.
fn parse_range(text: &str) -> Option<ConstantRange> {
    let (_, rest) = text.rsplit_once("range(i")?;
    let (range, _) = rest.split_once(')')?;
    let (width, bounds) = range.split_once(' ')?;
    let (low, high) = bounds.split_once(", ")?;
    let width: u32 = width.parse().ok()?;
    if !(1..=64).contains(&width) {
        return None;
    }
    let bound = |text: &str| Some(text.parse::<i128>().ok()? as u64 & (u64::MAX >> (64 - width)));
    Some(ConstantRange {
        width,
        low: bound(low)?,
        high: bound(high)?,
    })
}

/// Reports whether a function was compiled from Rust without optimisation, with the crate under
/// test. The precompiled standard library is not.
pub fn is_fresh(function: LLVMValueRef) -> bool {
    /// The operand of a subprogram that is its compile unit.
    const UNIT: usize = 5;
    // SAFETY: a subprogram is a node, and its compile unit a scope with a file.
    unsafe {
        if !is_rust(function) {
            return false;
        }
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
        let node = LLVMMetadataAsValue(context, LLVMGetSubprogram(function));
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
        let unit = operands.get(UNIT).copied().unwrap_or(std::ptr::null_mut());
        if unit.is_null() {
            return false;
        }
        let file = LLVMDIScopeGetFile(LLVMValueAsMetadata(unit));
        if file.is_null() {
            return false;
        }
        let mut length = 0;
        let directory = LLVMDIFileGetDirectory(file, &mut length);
        !directory.is_null()
            && !std::slice::from_raw_parts(directory.cast::<u8>(), length as usize)
                .starts_with(b"/rustc/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(width: u32, low: u64, high: u64) -> ConstantRange {
        ConstantRange { width, low, high }
    }

    #[test]
    fn ranges_are_read_from_text() {
        let text = "declare void @symex.range(i32 noundef range(i32 1, 0))";
        assert_eq!(parse_range(text), Some(range(32, 1, 0)));
        let text = "declare void @symex.range(i32 range(i8 -1, 2))";
        assert_eq!(parse_range(text), Some(range(8, 255, 2)));
        assert_eq!(parse_range("declare void @symex.range(i32)"), None);
        assert_eq!(parse_range("range(i128 0, 5)"), None);
    }

    #[test]
    fn a_range_covers_what_has_no_value_outside() {
        let all: Vec<ConstantRange> = (0..8)
            .flat_map(|low| (0..8).map(move |high| range(3, low, high)))
            .collect();
        for &a in &all {
            for &b in all.iter().filter(|b| b.low != b.high) {
                let inside = (0..8).all(|n| !b.has(n) || a.has(n));
                // A range of all integers with another start is not looked for.
                assert!(!a.covers(b) || inside, "{a:?} {b:?}");
                assert!(a.covers(b) || !inside || a.low == a.high, "{a:?} {b:?}");
            }
        }
    }
}
