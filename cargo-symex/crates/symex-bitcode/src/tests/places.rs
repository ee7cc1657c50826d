//! Tests of debug locations.

use super::translate;
use symex_program::text::place;

#[test]
fn places_have_files_lines_functions_and_inlining() {
    let program = translate(
        "define i32 @outer(i32 %a) !dbg !4 {
          %n = alloca i32, align 4
          %x = add i32 %a, 1, !dbg !8
          %y = add i32 %x, 2
          %z = mul i32 %y, 3, !dbg !9
          %w = mul i32 %z, 3, !dbg !13
          ret i32 %w, !dbg !10 }
        define void @plain() { ret void }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: \"t\", emissionKind: FullDebug)
        !1 = !DIFile(filename: \"src/a.c\", directory: \"/home/me\")
        !2 = !{i32 2, !\"Debug Info Version\", i32 3}
        !3 = !DISubroutineType(types: !{})
        !4 = distinct !DISubprogram(name: \"outer\", scope: !1, file: !1, line: 10, type: !3, unit: !0, spFlags: DISPFlagDefinition)
        !5 = distinct !DISubprogram(name: \"inner\", linkageName: \"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE\", scope: !6, file: !6, line: 20, type: !3, unit: !0, spFlags: DISPFlagDefinition)
        !6 = !DIFile(filename: \"/rustc/library/fmt.rs\", directory: \"/elsewhere\")
        !7 = !DILexicalBlock(scope: !5, file: !6, line: 21, column: 2)
        !8 = !DILocation(line: 11, column: 5, scope: !4)
        !9 = !DILocation(line: 22, column: 7, scope: !7, inlinedAt: !10)
        !10 = !DILocation(line: 12, column: 1, scope: !4)
        !13 = !DILocation(line: 0, scope: !7, inlinedAt: !10)",
    );
    let places: Vec<String> = program.functions[0]
        .body
        .as_ref()
        .unwrap()
        .locs
        .iter()
        .map(|&l| place(&program, l))
        .collect();
    let inlined =
        "/rustc/library/fmt.rs:22:7 core::fmt::Formatter::pad <- /home/me/src/a.c:12:1 outer";
    assert_eq!(
        places,
        [
            "/home/me/src/a.c:10:0 outer",
            "/home/me/src/a.c:11:5 outer",
            "/home/me/src/a.c:11:5 outer",
            inlined,
            inlined,
            "/home/me/src/a.c:12:1 outer",
        ]
    );
    let plain = program.functions[1].body.as_ref().unwrap();
    assert_eq!(place(&program, plain.locs[0]), "");
}
