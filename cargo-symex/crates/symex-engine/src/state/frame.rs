//! Call frames. The innermost one is owned, the others are a list shared between forked paths, so
//! that a fork copies one frame whatever the depth.

use super::kept_slots::KeptSlots;
use smallvec::SmallVec;
use std::rc::Rc;
use symex_memory::Tag;
use symex_program::FuncId;
use symex_terms::{ObjectId, Value};

/// A leaf of a variable argument.
#[derive(Clone, Copy, Debug)]
pub struct VarArg {
    pub value: Value,
    /// Width in bits.
    pub width: u32,
    /// Offset in bytes from the start of the area that a `va_list` walks through.
    pub at: u64,
    /// Size of an argument passed by value, whose bytes lie there. The value is the address of a
    /// copy.
    pub size: Option<u64>,
}

impl VarArg {
    /// Returns the offset of its end in the area.
    pub fn end(&self) -> u64 {
        self.at + self.size.unwrap_or(u64::from(self.width.div_ceil(8)))
    }
}

/// Frame of one call.
#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FuncId,
    /// Index of the next instruction; while a callee runs, index of the call.
    pub pc: u32,
    /// Slots; empty while they are kept in parts.
    pub slots: Vec<Value>,
    /// Slots as they were when the path last waited, for later copies to share.
    pub kept: Option<KeptSlots>,
    /// Stack objects to end on return.
    pub allocas: SmallVec<[ObjectId; 6]>,
    /// Bytes of local variables of the frame and its callers, without those of variable length.
    pub bytes: u64,
    pub varargs: Rc<[VarArg]>,
    /// Serial number, unique among all frames that a path ever had; assigned by the stack.
    pub serial: u64,
    /// Whether the caller, on return, repeats its current instruction.
    pub again: bool,
    /// Whether its results have another form than the caller's, as between languages.
    pub reshaped: bool,
    /// Tags of the pointers in the slots, where the rules of aliasing are checked.
    pub tags: Option<Box<FrameTags>>,
}

/// Tags of the pointers in a frame.
#[derive(Clone, Debug)]
pub struct FrameTags {
    /// By slot.
    pub slots: Vec<Tag>,
    /// References that the call got as arguments, and relies on until it returns.
    pub protected: Vec<(ObjectId, Tag)>,
}

impl FrameTags {
    /// Makes the tags of a frame with this number of slots, which are not known.
    pub fn new(slots: usize) -> Self {
        FrameTags {
            slots: vec![Tag::UNKNOWN; slots],
            protected: Vec::new(),
        }
    }
}

impl Frame {
    /// Makes the first frame of a function without caller: at its first instruction, with room for
    /// `slots` slots, the first of which hold the arguments' leaves.
    pub fn first(function: FuncId, slots: usize, args: &[Value]) -> Self {
        let mut values = vec![Value::Undef; slots.max(args.len())];
        values[..args.len()].copy_from_slice(args);
        Frame {
            function,
            pc: 0,
            slots: values,
            kept: None,
            allocas: SmallVec::new(),
            bytes: 0,
            varargs: Rc::from([]),
            serial: 0,
            again: false,
            reshaped: false,
            tags: None,
        }
    }

    /// Iterates over the values of the slots.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        let kept = self.kept.iter().filter(|_| self.slots.is_empty());
        let kept = kept.flat_map(KeptSlots::iter);
        self.slots.iter().copied().chain(kept)
    }

    /// Keeps the slots in parts, if they are many.
    fn pack(&mut self) {
        if KeptSlots::suits(self.slots.len()) {
            self.kept = Some(KeptSlots::new(&self.slots, self.kept.as_ref()));
            self.slots = Vec::new();
        }
    }

    /// Makes the slots a list again.
    fn unpack(&mut self) {
        if let Some(kept) = self.kept.as_ref().filter(|_| self.slots.is_empty()) {
            self.slots = kept.to_vec();
        }
    }
}

#[derive(Debug)]
struct FrameLink {
    /// Frame; `None` only while the link is dropped.
    frame: Option<Frame>,
    /// Whether this frame and its callers were packed, if they are large.
    packed: bool,
    next: Option<Rc<FrameLink>>,
}

impl Drop for FrameLink {
    fn drop(&mut self) {
        // Iterative, for deep recursion in the program must not become deep recursion here.
        let mut next = self.next.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut link) => next = link.next.take(),
                Err(_) => break,
            }
        }
    }
}

/// Call stack of a path.
#[derive(Clone, Debug)]
pub struct Stack {
    pub top: Frame,
    callers: Option<Rc<FrameLink>>,
    /// Number of frames.
    pub depth: u32,
    /// Serial number of the next frame.
    next: u64,
}

impl Stack {
    /// Makes a stack of one frame.
    pub fn new(top: Frame) -> Self {
        Stack {
            top,
            callers: None,
            depth: 1,
            next: 1,
        }
    }

    /// Makes a stack of one frame with a serial number that no frame of this stack has.
    pub fn beside(&self, mut top: Frame) -> Self {
        top.serial = self.next;
        Stack {
            top,
            callers: None,
            depth: 1,
            next: self.next + 1,
        }
    }

    /// Gives frames to come serial numbers that no frame of another stack has.
    pub fn number_after(&mut self, other: &Stack) {
        self.next = self.next.max(other.next);
    }

    /// Returns the serial number that the frame of the next call will have.
    pub fn next_serial(&self) -> u64 {
        self.next
    }

    /// Reports whether the callers of the innermost frame are the very frames of another path.
    pub fn shares_callers(&self, other: &Stack) -> bool {
        match (&self.callers, &other.callers) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Reports whether the frame with this serial number is on the stack.
    pub fn holds(&self, serial: u64) -> bool {
        // Serial numbers ascend towards the innermost frame.
        let frame = self.iter().find(|frame| frame.serial <= serial);
        frame.is_some_and(|frame| frame.serial == serial)
    }

    /// Pushes the frame of a call.
    pub fn push(&mut self, mut frame: Frame) {
        frame.serial = self.next;
        frame.bytes = self.top.bytes;
        self.next += 1;
        let caller = std::mem::replace(&mut self.top, frame);
        self.callers = Some(Rc::new(FrameLink {
            frame: Some(caller),
            packed: false,
            next: self.callers.take(),
        }));
        self.depth += 1;
    }

    /// Pops and returns the innermost frame; `None` if it is the only one.
    pub fn pop(&mut self) -> Option<Frame> {
        let link = self.callers.take()?;
        let mut caller = match Rc::try_unwrap(link) {
            Ok(mut link) => {
                self.callers = link.next.take();
                link.frame.take()?
            }
            Err(shared) => {
                self.callers = shared.next.clone();
                shared.frame.clone()?
            }
        };
        self.depth -= 1;
        caller.unpack();
        Some(std::mem::replace(&mut self.top, caller))
    }

    /// Makes the stack small, since its path is to wait: large frames share the slots that are
    /// equal to those that they had when the path last waited, or to those of `like`, a path from
    /// the same fork.
    pub fn pack(&mut self, like: Option<&Stack>) {
        let like = like.map(|like| &like.top);
        let own =
            |like: &&Frame| (like.serial, like.function) == (self.top.serial, self.top.function);
        if let Some(kept) = like.filter(own).and_then(|like| like.kept.as_ref()) {
            self.top.kept = Some(kept.clone());
        }
        self.top.pack();
        // Callers that no other path has.
        let mut link = self.callers.as_mut().and_then(Rc::get_mut);
        while let Some(caller) = link.filter(|caller| !caller.packed) {
            caller.packed = true;
            caller.frame.iter_mut().for_each(Frame::pack);
            link = caller.next.as_mut().and_then(Rc::get_mut);
        }
    }

    /// Makes the innermost frame ready to run.
    pub fn unpack(&mut self) {
        self.top.unpack();
    }

    /// Iterates over all frames, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        let mut link = self.callers.as_deref();
        std::iter::once(&self.top).chain(std::iter::from_fn(move || {
            let l = link?;
            link = l.next.as_deref();
            l.frame.as_ref()
        }))
    }
}
