//! Handles of debug information.

use super::*;

/// The number of a kind of metadata in a context.
pub fn metadata_kind(context: LLVMContextRef, name: &str) -> u32 {
    // SAFETY: reads a string of the given length.
    unsafe { LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32) }
}

impl Md {
    pub fn line(self) -> u32 {
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    pub fn column(self) -> u32 {
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// Returns the scope of a location.
    pub fn scope(self) -> Option<Md> {
        handle!(Md, LLVMDILocationGetScope(self.0))
    }

    pub fn inlined_at(self) -> Option<Md> {
        handle!(Md, LLVMDILocationGetInlinedAt(self.0))
    }

    /// Returns the file of a scope.
    pub fn file(self) -> Option<Md> {
        handle!(Md, LLVMDIScopeGetFile(self.0))
    }

    /// Returns directory and name of a file node.
    pub fn path(self) -> (String, String) {
        unsafe {
            let mut len = 0;
            let p = LLVMDIFileGetDirectory(self.0, &mut len);
            let dir = text(p, len as usize).into_owned();
            let p = LLVMDIFileGetFilename(self.0, &mut len);
            (dir, text(p, len as usize).into_owned())
        }
    }

    pub fn is_subprogram(self) -> bool {
        unsafe { kinds::is_subprogram(self.0) }
    }

    pub fn is_lexical_block(self) -> bool {
        unsafe { kinds::is_lexical_block(self.0) }
    }

    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// Returns the first `n` operands of the node.
    fn operands(self, context: LLVMContextRef) -> Vec<LLVMValueRef> {
        unsafe {
            let v = LLVMMetadataAsValue(context, self.0);
            let mut all = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(v) as usize];
            LLVMGetMDNodeOperands(v, all.as_mut_ptr());
            all
        }
    }

    /// Returns a string operand of the node.
    pub fn string(self, context: LLVMContextRef, i: usize) -> Option<String> {
        let v = *self.operands(context).get(i)?;
        if v.is_null() {
            return None;
        }
        let mut len = 0;
        let p = unsafe { LLVMGetMDString(v, &mut len) };
        (!p.is_null()).then(|| unsafe { text(p, len as usize) }.into_owned())
    }

    /// Returns a node operand of the node.
    pub fn node(self, context: LLVMContextRef, i: usize) -> Option<Md> {
        let v = *self.operands(context).get(i)?;
        if v.is_null() {
            return None;
        }
        handle!(Md, LLVMValueAsMetadata(v))
    }
}
