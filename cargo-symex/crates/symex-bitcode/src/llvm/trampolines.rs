//! Trampolines: LLVM's C interface as symbols of this executable, each of which jumps to the loaded
//! library's function.
//!
//! The bindings refer to LLVM's functions by name, so the linker wants definitions of them; there
//! is no library to link, since which one it is depends on the toolchain of the crate under test. A
//! trampoline knows nothing of a function's arguments, and costs one jump. The list has the
//! functions to which this crate and `inkwell` refer; a missing one fails to link.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("cargo symex runs on Linux on x86-64");

/// Makes a function for each name, which jumps through the table, with its own number in `eax`.
macro_rules! trampolines {
    ($($name:ident,)*) => {
        #[expect(non_camel_case_types)]
        #[derive(Clone, Copy)]
        enum TrampolineNumber { $($name),* }

        /// The names of the functions, by number.
        pub static NAMES: &[&str] = &[$(stringify!($name)),*];

        const COUNT: usize = [$(TrampolineNumber::$name),*].len();

        $(
            /// Jumps to LLVM's function of this name.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                std::arch::naked_asm!(
                    "mov eax, {number}",
                    "jmp qword ptr [rip + {table} + 8 * {number}]",
                    number = const TrampolineNumber::$name as usize,
                    table = sym TABLE,
                )
            }
        )*
    };
}

trampolines! {
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMAddAnalysisPasses, LLVMAddAttributeAtIndex,
    LLVMAddCallSiteAttribute, LLVMAddCase, LLVMAddClause, LLVMAddDestination, LLVMAddFunction,
    LLVMAddGlobal, LLVMAddGlobalInAddressSpace, LLVMAddGlobalMapping, LLVMAddIncoming,
    LLVMAddModule, LLVMAddModuleFlag, LLVMAddNamedMetadataOperand, LLVMAliasGetAliasee,
    LLVMAliasSetAliasee, LLVMAlignOf, LLVMAppendBasicBlockInContext,
    LLVMAppendExistingBasicBlock, LLVMArrayType, LLVMArrayType2, LLVMBFloatTypeInContext,
    LLVMBasicBlockAsValue, LLVMBinaryCopyMemoryBuffer, LLVMBinaryGetType, LLVMBlockAddress,
    LLVMBuildAShr, LLVMBuildAdd, LLVMBuildAddrSpaceCast, LLVMBuildAggregateRet,
    LLVMBuildAlloca, LLVMBuildAnd, LLVMBuildArrayAlloca, LLVMBuildArrayMalloc,
    LLVMBuildAtomicCmpXchg, LLVMBuildAtomicRMW, LLVMBuildBinOp, LLVMBuildBitCast, LLVMBuildBr,
    LLVMBuildCall2, LLVMBuildCallWithOperandBundles, LLVMBuildCast, LLVMBuildCondBr,
    LLVMBuildExactSDiv, LLVMBuildExtractElement, LLVMBuildExtractValue, LLVMBuildFAdd,
    LLVMBuildFCmp, LLVMBuildFDiv, LLVMBuildFMul, LLVMBuildFNeg, LLVMBuildFPCast,
    LLVMBuildFPExt, LLVMBuildFPToSI, LLVMBuildFPToUI, LLVMBuildFPTrunc, LLVMBuildFRem,
    LLVMBuildFSub, LLVMBuildFence, LLVMBuildFree, LLVMBuildFreeze, LLVMBuildGEP2,
    LLVMBuildGlobalString, LLVMBuildGlobalStringPtr, LLVMBuildICmp, LLVMBuildInBoundsGEP2,
    LLVMBuildIndirectBr, LLVMBuildInsertElement, LLVMBuildInsertValue, LLVMBuildIntCast,
    LLVMBuildIntCast2, LLVMBuildIntToPtr, LLVMBuildInvoke2, LLVMBuildIsNotNull,
    LLVMBuildIsNull, LLVMBuildLShr, LLVMBuildLandingPad, LLVMBuildLoad2, LLVMBuildMalloc,
    LLVMBuildMemCpy, LLVMBuildMemMove, LLVMBuildMemSet, LLVMBuildMul, LLVMBuildNSWAdd,
    LLVMBuildNSWMul, LLVMBuildNSWNeg, LLVMBuildNSWSub, LLVMBuildNUWAdd, LLVMBuildNUWMul,
    LLVMBuildNUWNeg, LLVMBuildNUWSub, LLVMBuildNeg, LLVMBuildNot, LLVMBuildOr, LLVMBuildPhi,
    LLVMBuildPointerCast, LLVMBuildPtrDiff2, LLVMBuildPtrToInt, LLVMBuildResume, LLVMBuildRet,
    LLVMBuildRetVoid, LLVMBuildSDiv, LLVMBuildSExt, LLVMBuildSExtOrBitCast, LLVMBuildSIToFP,
    LLVMBuildSRem, LLVMBuildSelect, LLVMBuildShl, LLVMBuildShuffleVector, LLVMBuildStore,
    LLVMBuildStructGEP2, LLVMBuildSub, LLVMBuildSwitch, LLVMBuildTrunc,
    LLVMBuildTruncOrBitCast, LLVMBuildUDiv, LLVMBuildUIToFP, LLVMBuildURem,
    LLVMBuildUnreachable, LLVMBuildVAArg, LLVMBuildXor, LLVMBuildZExt, LLVMBuildZExtOrBitCast,
    LLVMByteOrder, LLVMCallFrameAlignmentOfType, LLVMCanValueUseFastMathFlags,
    LLVMClearInsertionPosition, LLVMCloneModule, LLVMConstAdd, LLVMConstAddrSpaceCast,
    LLVMConstAllOnes, LLVMConstArray, LLVMConstArray2, LLVMConstBitCast,
    LLVMConstExtractElement, LLVMConstGEP2, LLVMConstInBoundsGEP2, LLVMConstInsertElement,
    LLVMConstInt, LLVMConstIntGetSExtValue, LLVMConstIntGetZExtValue,
    LLVMConstIntOfArbitraryPrecision, LLVMConstIntOfStringAndSize, LLVMConstIntToPtr,
    LLVMConstMul, LLVMConstNSWAdd, LLVMConstNSWMul, LLVMConstNSWNeg, LLVMConstNSWSub,
    LLVMConstNUWAdd, LLVMConstNUWMul, LLVMConstNUWNeg, LLVMConstNUWSub, LLVMConstNamedStruct,
    LLVMConstNeg, LLVMConstNot, LLVMConstNull, LLVMConstPointerCast, LLVMConstPointerNull,
    LLVMConstPtrToInt, LLVMConstReal, LLVMConstRealGetDouble, LLVMConstRealOfStringAndSize,
    LLVMConstShuffleVector, LLVMConstStringInContext, LLVMConstStringInContext2,
    LLVMConstStructInContext, LLVMConstSub, LLVMConstTrunc, LLVMConstTruncOrBitCast,
    LLVMConstVector, LLVMConstXor, LLVMConsumeError, LLVMContextCreate, LLVMContextDispose,
    LLVMContextGetDiagnosticHandler, LLVMContextSetDiagnosticHandler,
    LLVMCopyStringRepOfTargetData, LLVMCountBasicBlocks, LLVMCountIncoming,
    LLVMCountParamTypes, LLVMCountParams, LLVMCountStructElementTypes, LLVMCreateBinary,
    LLVMCreateBuilderInContext, LLVMCreateDIBuilder, LLVMCreateDIBuilderDisallowUnresolved,
    LLVMCreateEnumAttribute, LLVMCreateExecutionEngineForModule,
    LLVMCreateFunctionPassManagerForModule, LLVMCreateGenericValueOfFloat,
    LLVMCreateGenericValueOfInt, LLVMCreateGenericValueOfPointer,
    LLVMCreateInterpreterForModule, LLVMCreateJITCompilerForModule,
    LLVMCreateMCJITCompilerForModule, LLVMCreateMemoryBufferWithContentsOfFile,
    LLVMCreateMemoryBufferWithMemoryRange, LLVMCreateMemoryBufferWithMemoryRangeCopy,
    LLVMCreateMemoryBufferWithSTDIN, LLVMCreateMessage, LLVMCreateOperandBundle,
    LLVMCreatePassBuilderOptions, LLVMCreatePassManager, LLVMCreateSimpleMCJITMemoryManager,
    LLVMCreateStringAttribute, LLVMCreateTargetData, LLVMCreateTargetDataLayout,
    LLVMCreateTargetMachine, LLVMCreateTargetMachineOptions,
    LLVMCreateTargetMachineWithOptions, LLVMCreateTypeAttribute, LLVMDIBuilderCreateArrayType,
    LLVMDIBuilderCreateAutoVariable, LLVMDIBuilderCreateBasicType,
    LLVMDIBuilderCreateCompileUnit, LLVMDIBuilderCreateConstantValueExpression,
    LLVMDIBuilderCreateDebugLocation, LLVMDIBuilderCreateEnumerationType,
    LLVMDIBuilderCreateEnumerator, LLVMDIBuilderCreateExpression, LLVMDIBuilderCreateFile,
    LLVMDIBuilderCreateFunction, LLVMDIBuilderCreateGlobalVariableExpression,
    LLVMDIBuilderCreateLexicalBlock, LLVMDIBuilderCreateLexicalBlockFile,
    LLVMDIBuilderCreateMemberType, LLVMDIBuilderCreateNameSpace,
    LLVMDIBuilderCreateParameterVariable, LLVMDIBuilderCreatePointerType,
    LLVMDIBuilderCreateReferenceType, LLVMDIBuilderCreateStructType,
    LLVMDIBuilderCreateSubroutineType, LLVMDIBuilderCreateTypedef,
    LLVMDIBuilderCreateUnionType, LLVMDIBuilderFinalize, LLVMDIBuilderGetOrCreateSubrange,
    LLVMDIBuilderInsertDbgValueRecordBefore, LLVMDIBuilderInsertDeclareRecordAtEnd,
    LLVMDIBuilderInsertDeclareRecordBefore, LLVMDIFileGetDirectory, LLVMDIFileGetFilename,
    LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine,
    LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMDITypeGetAlignInBits, LLVMDITypeGetOffsetInBits, LLVMDITypeGetSizeInBits,
    LLVMDWARFSourceLanguage, LLVMDebugMetadataVersion, LLVMDeleteBasicBlock,
    LLVMDeleteFunction, LLVMDeleteGlobal, LLVMDisposeBinary, LLVMDisposeBuilder,
    LLVMDisposeDIBuilder, LLVMDisposeErrorMessage, LLVMDisposeExecutionEngine,
    LLVMDisposeGenericValue, LLVMDisposeMemoryBuffer, LLVMDisposeMessage, LLVMDisposeModule,
    LLVMDisposeOperandBundle, LLVMDisposePassBuilderOptions, LLVMDisposePassManager,
    LLVMDisposeRelocationIterator, LLVMDisposeSectionIterator, LLVMDisposeSymbolIterator,
    LLVMDisposeTargetData, LLVMDisposeTargetMachine, LLVMDisposeTargetMachineOptions,
    LLVMDoubleTypeInContext, LLVMDumpModule, LLVMDumpValue, LLVMElementAtOffset,
    LLVMEnablePrettyStackTrace, LLVMFP128TypeInContext, LLVMFinalizeFunctionPassManager,
    LLVMFindFunction, LLVMFloatTypeInContext, LLVMFreeMachineCodeForFunction, LLVMFunctionType,
    LLVMGEPGetNoWrapFlags,
    LLVMGenericValueIntWidth, LLVMGenericValueToFloat, LLVMGenericValueToInt,
    LLVMGenericValueToPointer, LLVMGetAggregateElement, LLVMGetAlignment, LLVMGetAllocatedType,
    LLVMGetArrayLength, LLVMGetArrayLength2, LLVMGetAsString, LLVMGetAtomicRMWBinOp,
    LLVMGetAttributeCountAtIndex, LLVMGetAttributesAtIndex, LLVMGetBasicBlockName,
    LLVMGetBasicBlockParent, LLVMGetBasicBlockTerminator, LLVMGetBasicBlocks,
    LLVMGetBitcodeModuleInContext, LLVMGetBitcodeModuleInContext2,
    LLVMGetBlockAddressBasicBlock, LLVMGetBlockAddressFunction, LLVMGetBufferSize,
    LLVMGetBufferStart, LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes,
    LLVMGetCallSiteEnumAttribute, LLVMGetCallSiteStringAttribute, LLVMGetCalledFunctionType,
    LLVMGetCalledValue, LLVMGetClause, LLVMGetCmpXchgFailureOrdering,
    LLVMGetCmpXchgSuccessOrdering, LLVMGetComdat, LLVMGetComdatSelectionKind,
    LLVMGetCondition, LLVMGetConstOpcode, LLVMGetCurrentDebugLocation2, LLVMGetDLLStorageClass,
    LLVMGetDataLayoutStr, LLVMGetDefaultTargetTriple, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity, LLVMGetElementAsConstant, LLVMGetElementType,
    LLVMGetEntryBasicBlock, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKind,
    LLVMGetEnumAttributeKindForName, LLVMGetEnumAttributeValue, LLVMGetErrorMessage,
    LLVMGetErrorTypeId, LLVMGetExact, LLVMGetExecutionEngineTargetData,
    LLVMGetExecutionEngineTargetMachine, LLVMGetFCmpPredicate, LLVMGetFastMathFlags,
    LLVMGetFirstBasicBlock, LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias,
    LLVMGetFirstGlobalIFunc, LLVMGetFirstInstruction, LLVMGetFirstParam, LLVMGetFirstTarget,
    LLVMGetFirstUse, LLVMGetFunctionAddress, LLVMGetFunctionCallConv, LLVMGetGC,
    LLVMGetGEPSourceElementType, LLVMGetGlobalParent, LLVMGetHostCPUFeatures,
    LLVMGetHostCPUName, LLVMGetICmpPredicate, LLVMGetICmpSameSign, LLVMGetIncomingBlock,
    LLVMGetIncomingValue, LLVMGetIndices, LLVMGetInitializer, LLVMGetInlineAsm,
    LLVMGetInlineAsmAsmString, LLVMGetInlineAsmConstraintString, LLVMGetInlineAsmDialect,
    LLVMGetInsertBlock,
    LLVMGetInstructionCallConv, LLVMGetInstructionOpcode, LLVMGetInstructionParent,
    LLVMGetIntTypeWidth, LLVMGetIntrinsicDeclaration, LLVMGetIntrinsicID, LLVMGetIsDisjoint,
    LLVMGetLastBasicBlock, LLVMGetLastEnumAttributeKind, LLVMGetLastFunction,
    LLVMGetLastGlobal, LLVMGetLastInstruction, LLVMGetLastParam, LLVMGetLinkage,
    LLVMGetMDKindIDInContext, LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetMDString,
    LLVMGetMaskValue, LLVMGetMetadata, LLVMGetMetadataKind, LLVMGetModuleContext,
    LLVMGetModuleDataLayout, LLVMGetModuleDebugMetadataVersion, LLVMGetModuleFlag,
    LLVMGetModuleIdentifier, LLVMGetNNeg, LLVMGetNSW, LLVMGetNUW, LLVMGetNamedFunction,
    LLVMGetNamedGlobal, LLVMGetNamedMetadataNumOperands, LLVMGetNamedMetadataOperands,
    LLVMGetNextBasicBlock, LLVMGetNextFunction, LLVMGetNextGlobal, LLVMGetNextGlobalAlias,
    LLVMGetNextGlobalIFunc, LLVMGetNextInstruction, LLVMGetNextParam, LLVMGetNextTarget,
    LLVMGetNextUse, LLVMGetNormalDest, LLVMGetNumArgOperands, LLVMGetNumClauses,
    LLVMGetNumIndices, LLVMGetNumMaskElements, LLVMGetNumOperandBundleArgs,
    LLVMGetNumOperandBundles, LLVMGetNumOperands, LLVMGetNumSuccessors, LLVMGetOperand,
    LLVMGetOperandBundleArgAtIndex, LLVMGetOperandBundleAtIndex, LLVMGetOperandBundleTag,
    LLVMGetOperandUse, LLVMGetOrInsertComdat, LLVMGetOrdering, LLVMGetParam, LLVMGetParamParent, LLVMGetParamTypes,
    LLVMGetParams, LLVMGetPersonalityFn, LLVMGetPointerAddressSpace, LLVMGetPoison,
    LLVMGetPreviousBasicBlock, LLVMGetPreviousFunction, LLVMGetPreviousGlobal,
    LLVMGetPreviousInstruction, LLVMGetRawDataValues, LLVMGetRelocationOffset,
    LLVMGetRelocationSymbol, LLVMGetRelocationType, LLVMGetRelocationTypeName,
    LLVMGetRelocationValueString, LLVMGetRelocations, LLVMGetReturnType, LLVMGetSection,
    LLVMGetSectionAddress, LLVMGetSectionContainsSymbol, LLVMGetSectionContents,
    LLVMGetSectionName, LLVMGetSectionSize, LLVMGetSourceFileName,
    LLVMGetStringAttributeAtIndex, LLVMGetStringAttributeKind, LLVMGetStringAttributeValue,
    LLVMGetStructElementTypes, LLVMGetStructName, LLVMGetSubprogram, LLVMGetSuccessor,
    LLVMGetSwitchCaseValue, LLVMGetSymbolAddress, LLVMGetSymbolName, LLVMGetSymbolSize,
    LLVMGetTailCallKind, LLVMGetTarget, LLVMGetTargetDescription, LLVMGetTargetFromName,
    LLVMGetTargetFromTriple, LLVMGetTargetMachineCPU, LLVMGetTargetMachineFeatureString,
    LLVMGetTargetMachineTarget, LLVMGetTargetMachineTriple, LLVMGetTargetName,
    LLVMGetThreadLocalMode, LLVMGetTypeAttributeValue, LLVMGetTypeByName2, LLVMGetTypeContext,
    LLVMGetTypeKind, LLVMGetUndef, LLVMGetUnnamedAddress, LLVMGetUnwindDest, LLVMGetUsedValue,
    LLVMGetUser, LLVMGetValueKind, LLVMGetValueName2, LLVMGetVectorSize, LLVMGetVersion,
    LLVMGetVisibility, LLVMGetVolatile, LLVMGlobalGetValueType, LLVMGlobalSetMetadata,
    LLVMHalfTypeInContext, LLVMHasMetadata, LLVMHasPersonalityFn,
    LLVMInitializeFunctionPassManager, LLVMInitializeX86AsmParser, LLVMInitializeX86AsmPrinter,
    LLVMInitializeX86Disassembler, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC, LLVMInsertBasicBlockInContext, LLVMInsertIntoBuilder,
    LLVMInsertIntoBuilderWithName, LLVMInstallFatalErrorHandler, LLVMInstructionClone,
    LLVMInstructionEraseFromParent, LLVMInstructionGetDebugLoc,
    LLVMInstructionRemoveFromParent, LLVMInstructionSetDebugLoc, LLVMInt128TypeInContext,
    LLVMInt16TypeInContext, LLVMInt1TypeInContext, LLVMInt32TypeInContext,
    LLVMInt64TypeInContext, LLVMInt8TypeInContext, LLVMIntPtrTypeForASInContext,
    LLVMIntPtrTypeInContext, LLVMIntTypeInContext, LLVMIntrinsicIsOverloaded,
    LLVMIsAAllocaInst, LLVMIsABasicBlock, LLVMIsACallInst, LLVMIsAConstantArray,
    LLVMIsAConstantDataArray, LLVMIsAConstantDataVector, LLVMIsAConstantExpr,
    LLVMIsAConstantInt, LLVMIsAConstantVector, LLVMIsAFunction, LLVMIsAGlobalVariable,
    LLVMIsAInlineAsm, LLVMIsAInstruction, LLVMIsAIntrinsicInst, LLVMIsAInvokeInst,
    LLVMIsAMDNode, LLVMIsAMDString, LLVMIsAMemCpyInst, LLVMIsAPoisonValue,
    LLVMIsATerminatorInst, LLVMIsCleanup, LLVMIsConditional, LLVMIsConstant,
    LLVMIsConstantString, LLVMIsDeclaration, LLVMIsEnumAttribute, LLVMIsExternallyInitialized,
    LLVMIsFunctionVarArg, LLVMIsGlobalConstant, LLVMIsInBounds, LLVMIsMultithreaded,
    LLVMIsNull, LLVMIsOpaqueStruct, LLVMIsPackedStruct, LLVMIsPoison,
    LLVMIsRelocationIteratorAtEnd, LLVMIsStringAttribute, LLVMIsTailCall, LLVMIsThreadLocal,
    LLVMIsTypeAttribute, LLVMIsUndef, LLVMLinkInInterpreter, LLVMLinkInMCJIT, LLVMLinkModules2,
    LLVMLoadLibraryPermanently, LLVMLookupIntrinsicID, LLVMMDNodeInContext2,
    LLVMMDStringInContext2, LLVMMetadataAsValue, LLVMMetadataReplaceAllUsesWith,
    LLVMMetadataTypeInContext, LLVMModuleCreateWithNameInContext, LLVMMoveBasicBlockAfter,
    LLVMMoveBasicBlockBefore, LLVMMoveToContainingSection, LLVMMoveToNextRelocation,
    LLVMMoveToNextSection, LLVMMoveToNextSymbol, LLVMNormalizeTargetTriple,
    LLVMObjectFileCopySectionIterator, LLVMObjectFileCopySymbolIterator,
    LLVMObjectFileIsSectionIteratorAtEnd, LLVMObjectFileIsSymbolIteratorAtEnd,
    LLVMOffsetOfElement, LLVMPPCFP128TypeInContext, LLVMParseBitcodeInContext,
    LLVMParseIRInContext, LLVMParseIRInContext2, LLVMPassBuilderOptionsSetCallGraphProfile,
    LLVMPassBuilderOptionsSetDebugLogging, LLVMPassBuilderOptionsSetForgetAllSCEVInLoopUnroll,
    LLVMPassBuilderOptionsSetLicmMssaNoAccForPromotionCap,
    LLVMPassBuilderOptionsSetLicmMssaOptCap, LLVMPassBuilderOptionsSetLoopInterleaving,
    LLVMPassBuilderOptionsSetLoopUnrolling, LLVMPassBuilderOptionsSetLoopVectorization,
    LLVMPassBuilderOptionsSetMergeFunctions, LLVMPassBuilderOptionsSetSLPVectorization,
    LLVMPassBuilderOptionsSetVerifyEach, LLVMPointerSize, LLVMPointerSizeForAS,
    LLVMPointerType, LLVMPointerTypeInContext, LLVMPointerTypeIsOpaque, LLVMPositionBuilder,
    LLVMPositionBuilderAtEnd, LLVMPositionBuilderBefore, LLVMPreferredAlignmentOfGlobal,
    LLVMPreferredAlignmentOfType, LLVMPrintModuleToFile, LLVMPrintModuleToString,
    LLVMPrintTypeToString, LLVMPrintValueToString, LLVMRemoveBasicBlockFromParent,
    LLVMRemoveCallSiteEnumAttribute, LLVMRemoveCallSiteStringAttribute,
    LLVMRemoveEnumAttributeAtIndex, LLVMRemoveModule, LLVMRemoveStringAttributeAtIndex,
    LLVMReplaceAllUsesWith, LLVMResetFatalErrorHandler, LLVMRunFunction, LLVMRunFunctionAsMain,
    LLVMRunFunctionPassManager, LLVMRunPassManager, LLVMRunPasses, LLVMRunPassesOnFunction,
    LLVMRunStaticConstructors, LLVMRunStaticDestructors, LLVMScalableVectorType,
    LLVMSearchForAddressOfSymbol, LLVMSetAlignment, LLVMSetCleanup, LLVMSetComdat,
    LLVMSetComdatSelectionKind, LLVMSetCondition, LLVMSetCurrentDebugLocation2, LLVMSetDLLStorageClass,
    LLVMSetDataLayout, LLVMSetExact, LLVMSetExternallyInitialized, LLVMSetFastMathFlags,
    LLVMSetFunctionCallConv, LLVMSetGC, LLVMSetGlobalConstant, LLVMSetICmpSameSign,
    LLVMSetInitializer, LLVMSetInstrParamAlignment, LLVMSetInstructionCallConv,
    LLVMSetIsDisjoint, LLVMSetIsInBounds, LLVMSetLinkage, LLVMSetMetadata,
    LLVMSetModuleIdentifier, LLVMSetModuleInlineAsm2, LLVMSetNNeg, LLVMSetNSW, LLVMSetNUW,
    LLVMSetOperand, LLVMSetOrdering, LLVMSetParamAlignment, LLVMSetPersonalityFn,
    LLVMSetSection, LLVMSetSourceFileName, LLVMSetSubprogram, LLVMSetTailCall,
    LLVMSetTailCallKind, LLVMSetTarget, LLVMSetTargetMachineAsmVerbosity, LLVMSetThreadLocal,
    LLVMSetThreadLocalMode, LLVMSetUnnamedAddress, LLVMSetValueName2, LLVMSetVisibility,
    LLVMSetVolatile, LLVMShutdown, LLVMSizeOf, LLVMSizeOfTypeInBits, LLVMStoreSizeOfType,
    LLVMString, LLVMStripModuleDebugInfo, LLVMStructCreateNamed, LLVMStructGetTypeAtIndex,
    LLVMStructSetBody, LLVMStructTypeInContext, LLVMTargetHasAsmBackend, LLVMTargetHasJIT,
    LLVMTargetHasTargetMachine, LLVMTargetMachineEmitToFile,
    LLVMTargetMachineEmitToMemoryBuffer, LLVMTargetMachineOptionsSetABI,
    LLVMTargetMachineOptionsSetCPU, LLVMTargetMachineOptionsSetCodeGenOptLevel,
    LLVMTargetMachineOptionsSetCodeModel, LLVMTargetMachineOptionsSetFeatures,
    LLVMTargetMachineOptionsSetRelocMode, LLVMTemporaryMDNode, LLVMTypeIsSized, LLVMTypeOf,
    LLVMValueAsBasicBlock, LLVMValueAsMetadata, LLVMValueIsBasicBlock, LLVMVectorType,
    LLVMVerifyFunction, LLVMVerifyModule, LLVMViewFunctionCFG, LLVMViewFunctionCFGOnly,
    LLVMVoidTypeInContext, LLVMWriteBitcodeToFD, LLVMWriteBitcodeToFile,
    LLVMWriteBitcodeToMemoryBuffer, LLVMX86FP80TypeInContext, LLVM_InitializeAllAsmParsers,
    LLVM_InitializeAllAsmPrinters, LLVM_InitializeAllDisassemblers,
    LLVM_InitializeAllTargetInfos, LLVM_InitializeAllTargetMCs, LLVM_InitializeAllTargets,
    LLVM_InitializeNativeAsmParser, LLVM_InitializeNativeAsmPrinter,
    LLVM_InitializeNativeDisassembler, LLVM_InitializeNativeTarget,
}

/// Address of each function; initially, and for functions that the loaded library lacks,
/// [`absent`].
static TABLE: [AtomicPtr<c_void>; COUNT] =
    [const { AtomicPtr::new(absent as *const () as *mut c_void) }; COUNT];

/// Connects every trampoline to the function that `find` returns for its name.
pub fn connect(find: impl Fn(&str) -> Option<*mut c_void>) {
    for (entry, name) in TABLE.iter().zip(NAMES) {
        if let Some(function) = find(name) {
            entry.store(function, Ordering::Release);
        }
    }
}

/// Reports whether the loaded library has the function of this name.
pub fn is_connected(name: &str) -> bool {
    let missing = absent as *const () as *mut c_void;
    let entry = NAMES.iter().position(|known| *known == name);
    entry.is_some_and(|number| TABLE[number].load(Ordering::Acquire) != missing)
}

/// Target of calls of a missing function, with its number in `eax`.
#[unsafe(naked)]
unsafe extern "C" fn absent() {
    std::arch::naked_asm!(
        "mov edi, eax",
        "and rsp, -16",
        "call {report}",
        "ud2",
        report = sym report_absent,
    )
}

/// Ends the process with the name of the missing function, since its caller expects a result that
/// cannot be made.
extern "C" fn report_absent(number: u32) -> ! {
    let name = NAMES.get(number as usize).unwrap_or(&"?");
    eprintln!("LLVM ERROR: the loaded LLVM has no function {name}");
    std::process::abort();
}
