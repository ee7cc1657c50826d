//! A lazily read bitcode module, as a list of globals whose linkage can be changed before it is
//! linked.
//!
//! Invariant: every raw LLVM handle stays inside this file and lives no longer than the context and
//! the bytes it was read from, as the lifetime `'a` states. LLVM reports errors through the
//! context's diagnostic handler and ends the process when there is none, so a [`Diagnostics`] has
//! to be attached before anything is read.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::comdat::LLVMSetComdat;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMLinkage, LLVMVisibility};
use inkwell::module::Module;

use super::super::llvm::kinds::{self, Linkage, TypeKind};

/// Collector of LLVM's diagnostics while modules of one context are read and linked.
pub struct Diagnostics {
    errors: Box<RefCell<Vec<String>>>,
}

extern "C" fn collect_error(info: LLVMDiagnosticInfoRef, errors: *mut c_void) {
    // SAFETY: LLVM hands back the pointer given in `attach`, which outlives the context's use.
    unsafe {
        if !kinds::is_error(info) {
            return;
        }
        let text = LLVMGetDiagInfoDescription(info);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        (*errors.cast::<RefCell<Vec<String>>>())
            .borrow_mut()
            .push(message);
    }
}

impl Diagnostics {
    /// Attaches a collector to the context, for its errors. It must outlive all use of the context.
    pub fn attach(context: &Context) -> Self {
        let errors = Box::new(RefCell::new(Vec::new()));
        let slot: *const RefCell<Vec<String>> = &raw const *errors;
        // SAFETY: the box does not move; the caller keeps `self` as long as the context is used.
        unsafe {
            LLVMContextSetDiagnosticHandler(
                (&context).as_ctx_ref(),
                Some(collect_error),
                slot.cast_mut().cast(),
            );
        }
        Diagnostics { errors }
    }

    /// Returns the errors since the last call, as one line.
    pub fn take(&self) -> String {
        let errors = std::mem::take(&mut *self.errors.borrow_mut());
        if errors.is_empty() {
            "no reason given by LLVM".to_owned()
        } else {
            errors.join("; ")
        }
    }
}

/// Strength of a definition in symbol resolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// Visible to other modules, and the one definition of its name.
    Strong,
    /// Yields to a strong definition; may differ from it.
    Weak,
    /// One of several equal definitions (inline functions, generics).
    Equal,
    /// Equal to a definition elsewhere and only a copy for the optimiser.
    Copy,
    /// Not visible outside its module.
    Local,
}

/// A function, variable, alias or ifunc of a [`SourceModule`].
#[derive(Clone, Copy)]
pub struct GlobalValue<'a> {
    value: LLVMValueRef,
    _module: PhantomData<&'a ()>,
}

/// A bitcode module whose function bodies are read only when they are linked.
pub struct SourceModule<'a> {
    module: LLVMModuleRef,
    _source: PhantomData<&'a [u8]>,
}

impl Drop for SourceModule<'_> {
    fn drop(&mut self) {
        // SAFETY: owned; `link_into` forgets `self` when LLVM takes the module.
        unsafe { LLVMDisposeModule(self.module) }
    }
}

impl<'a> SourceModule<'a> {
    /// Opens a module without reading its function bodies.
    pub fn open(
        context: &'a Context,
        bytes: &'a [u8],
        diagnostics: &Diagnostics,
    ) -> Result<Self, String> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the buffer refers to `bytes`, which live as long as the module; ownership of it
        // passes to the module, or it is freed by LLVM when reading fails.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(
                bytes.as_ptr().cast::<c_char>(),
                bytes.len(),
                c"bitcode".as_ptr(),
                0,
            );
            inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2(
                (&context).as_ctx_ref(),
                buffer,
                &mut module,
            )
        };
        if failed != 0 {
            Err(diagnostics.take())
        } else {
            Ok(SourceModule {
                module,
                _source: PhantomData,
            })
        }
    }

    /// Returns all globals that are symbols for the linker, in module order, which is the same each
    /// time.
    pub fn globals(&self) -> Vec<GlobalValue<'a>> {
        type Step = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef;
        let lists: [(LLVMValueRef, Step); 4] = unsafe {
            [
                (LLVMGetFirstGlobal(self.module), LLVMGetNextGlobal),
                (LLVMGetFirstFunction(self.module), LLVMGetNextFunction),
                (LLVMGetFirstGlobalAlias(self.module), LLVMGetNextGlobalAlias),
                (LLVMGetFirstGlobalIFunc(self.module), LLVMGetNextGlobalIFunc),
            ]
        };
        let mut all = Vec::new();
        for (first, next) in lists {
            let mut value = first;
            while !value.is_null() {
                all.push(GlobalValue {
                    value,
                    _module: PhantomData,
                });
                value = unsafe { next(value) };
            }
        }
        all
    }

    /// Sets the target triple as the program's other modules spell it: rustc and clang spell the
    /// same triple differently.
    pub fn set_target(&self, triple: &CStr) {
        unsafe { LLVMSetTarget(self.module, triple.as_ptr()) }
    }

    /// Returns the data layout, which has to be the same in all modules of a program.
    pub fn data_layout(&self) -> String {
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.module)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Returns the target triple for which the module was compiled.
    pub fn target(&self) -> String {
        unsafe { CStr::from_ptr(LLVMGetTarget(self.module)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Turns the definition of `global` into a declaration of the same name, because the definition
    /// is elsewhere.
    pub fn demote(&self, global: GlobalValue<'a>) {
        let name = global.name();
        global.rename(&format!("{name}.shadowed"));
        let aliases = self.aliases_of(global);
        unsafe {
            let ty = LLVMGlobalGetValueType(global.value);
            let name = std::ffi::CString::new(name).expect("a symbol has no NUL");
            let is_function = !LLVMIsAFunction(global.value).is_null()
                || kinds::type_kind(ty) == TypeKind::Function;
            let declared = if is_function {
                let function = LLVMAddFunction(self.module, name.as_ptr(), ty);
                if !LLVMIsAFunction(global.value).is_null() {
                    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(global.value));
                }
                function
            } else {
                let variable = LLVMAddGlobal(self.module, ty, name.as_ptr());
                LLVMSetThreadLocal(variable, LLVMIsThreadLocal(global.value));
                variable
            };
            LLVMReplaceAllUsesWith(global.value, declared);
            // Another name for it still names this definition: nothing is an alias of a
            // declaration.
            for alias in aliases {
                LLVMAliasSetAliasee(alias, global.value);
            }
        }
        global.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    }

    /// Returns the aliases of a function or variable.
    fn aliases_of(&self, global: GlobalValue<'a>) -> Vec<LLVMValueRef> {
        let mut found = Vec::new();
        // SAFETY: a walk over the aliases of a module that is not changed meanwhile.
        unsafe {
            let mut alias = LLVMGetFirstGlobalAlias(self.module);
            while !alias.is_null() {
                if LLVMAliasGetAliasee(alias) == global.value {
                    found.push(alias);
                }
                alias = LLVMGetNextGlobalAlias(alias);
            }
        }
        found
    }

    /// Links this module into `destination`: strong definitions always, all others when something
    /// refers to them.
    pub fn link_into(
        self,
        destination: &Module<'a>,
        diagnostics: &Diagnostics,
    ) -> Result<(), String> {
        let module = self.module;
        std::mem::forget(self);
        // SAFETY: both modules belong to one context; LLVM destroys the source in any case.
        let failed = unsafe { LLVMLinkModules2(destination.as_mut_ptr(), module) };
        if failed != 0 {
            Err(diagnostics.take())
        } else {
            Ok(())
        }
    }
}

/// Returns the globals of a finished module.
pub fn globals_of<'a>(module: &'a Module<'_>) -> Vec<GlobalValue<'a>> {
    let view = SourceModule {
        module: module.as_mut_ptr(),
        _source: PhantomData,
    };
    let all = view.globals();
    std::mem::forget(view);
    all
}

impl GlobalValue<'_> {
    /// Returns the symbol, empty for an unnamed constant.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: LLVM returns a pointer to `length` bytes.
        unsafe {
            let text = LLVMGetValueName2(self.value, &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), length))
                .into_owned()
        }
    }

    /// Gives the global another symbol.
    pub fn rename(self, name: &str) {
        unsafe { LLVMSetValueName2(self.value, name.as_ptr().cast::<c_char>(), name.len()) }
    }

    /// Reports whether the module only refers to it.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.value) != 0 }
    }

    /// Reports whether it is an array that the linker concatenates: `llvm.global_ctors` and the
    /// like.
    pub fn is_appending(self) -> bool {
        self.linkage() == Linkage::Appending
    }

    /// Reports whether something in its module uses it.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.value).is_null() }
    }

    fn linkage(self) -> Linkage {
        unsafe { kinds::linkage(self.value) }
    }

    /// Returns the strength of the definition in symbol resolution.
    pub fn strength(self) -> Strength {
        use Linkage::*;
        match self.linkage() {
            Internal | Private => Strength::Local,
            AvailableExternally => Strength::Copy,
            LinkOnceODR | WeakODR | LinkOnceODRAutoHide => Strength::Equal,
            LinkOnceAny | WeakAny | Common | ExternalWeak => Strength::Weak,
            _ => Strength::Strong,
        }
    }

    fn set_linkage(self, linkage: LLVMLinkage) {
        unsafe { LLVMSetLinkage(self.value, linkage) }
    }

    /// Makes the linker take the definition in any case.
    pub fn make_required(self) {
        self.set_linkage(LLVMLinkage::LLVMExternalLinkage);
        unsafe { LLVMSetVisibility(self.value, LLVMVisibility::LLVMDefaultVisibility) }
    }

    /// Makes the linker take the definition when something refers to it.
    pub fn make_optional(self) {
        self.set_linkage(LLVMLinkage::LLVMLinkOnceODRLinkage);
        unsafe { LLVMSetVisibility(self.value, LLVMVisibility::LLVMDefaultVisibility) }
    }

    /// Marks the definition as a copy of one in another module.
    pub fn make_copy(self) {
        self.set_linkage(LLVMLinkage::LLVMAvailableExternallyLinkage);
    }

    /// Hides the definition from other modules, so that it is dropped when unused.
    pub fn make_local(self) {
        self.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    }

    /// Takes the global out of its COMDAT group: the caller ensures one definition per name.
    pub fn leave_comdat(self) {
        unsafe {
            if !LLVMIsAGlobalVariable(self.value).is_null()
                || !LLVMIsAFunction(self.value).is_null()
            {
                LLVMSetComdat(self.value, std::ptr::null_mut());
            }
        }
    }

    /// Returns its explicit section, empty when it has none.
    pub fn section(self) -> String {
        unsafe {
            if LLVMIsAGlobalVariable(self.value).is_null() && LLVMIsAFunction(self.value).is_null()
            {
                return String::new();
            }
            let section = LLVMGetSection(self.value);
            if section.is_null() {
                String::new()
            } else {
                CStr::from_ptr(section).to_string_lossy().into_owned()
            }
        }
    }

    /// Removes a global variable that nothing uses.
    pub fn delete_variable(self) {
        unsafe { LLVMDeleteGlobal(self.value) }
    }
}
