//! Expansion of a harness: the function itself and, in test builds, its metadata, its entries and
//! its test.
//!
//! `fn __symex_<name>` holds them as nested items, so that the argument types mean what they mean
//! beside the function (a module would shift `super::`) and the tool finds them by their [`names`].

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use symex_abi::{ENV_RANDOM, FLAG_IGNORED, FLAG_KANI_PROOF, FLAG_SHOULD_PANIC, names};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Ident, parse_quote_spanned};

use super::locate;
use super::validate::{Argument, Harness, Passing, Returns};
use crate::draw::{Origin, as_length};
use crate::krate::Krate;

/// Returns the expansion.
pub fn expand(harness: &Harness) -> TokenStream {
    let krate = Krate::new(harness.options.krate.as_ref());
    let function = &harness.function;
    let name = &function.sig.ident;
    let cfgs = &harness.cfgs;
    let ignore = match &harness.ignore {
        Some(ignore) => ignore.to_token_stream(),
        None => {
            // What plain `cargo test` says of a harness, which does nothing there.
            let why = format!(
                "explored by `cargo symex`; `{ENV_RANDOM}=n` with `--include-ignored` runs random inputs"
            );
            quote!(#[ignore = #why])
        }
    };
    let plain = name.unraw().to_string();
    let regressions = locate::regressions(&plain, name.span());
    let file = regressions
        .as_ref()
        .map_or("", |regressions| &regressions.relative);

    let (meta_name, entry_name) = (
        format_ident!("{}", names::META),
        format_ident!("{}", names::ENTRY),
    );
    let meta = meta(harness, &krate, &meta_name, file);
    let entry = entry(harness, &krate, &entry_name);
    let native = native(harness, &krate);
    let holder = format_ident!("{}{plain}", names::HOLDER, span = name.span());
    let test = format_ident!("{}{plain}", names::TEST, span = name.span());
    let names = harness.arguments.iter().enumerate().map(|(i, argument)| {
        let constant = draw_name(i);
        let text = format!("{}\0", argument.name);
        quote!(const #constant: &#krate::__rt::core::ffi::CStr = #krate::__rt::name(#text);)
    });
    // Only where the user's own name is unusual: an `allow` clashes with a `forbid` of the same
    // lint.
    let case = plain
        .contains(char::is_uppercase)
        .then(|| quote!(#[allow(non_snake_case)]));
    let tests = regressions
        .and_then(|regressions| regressions.existing)
        .map(|path| {
            quote! {
                #(#cfgs)*
                #[cfg(test)]
                #[allow(unused_imports, non_snake_case)]
                mod #test {
                    use super::*;
                    use #krate::__rt::std::prelude::v1::*;
                    use #krate::__rt::std::{self, vec};
                    #krate::__rt::core::include!(#path);
                }
            }
        });
    quote! {
        #[cfg_attr(not(test), allow(dead_code))]
        #function

        #(#cfgs)*
        #[cfg(test)]
        #[doc(hidden)]
        #case
        fn #holder() {
            #(#names)*
            #meta
            #entry
            #native
            #krate::__rt::run(&#krate::__rt::Harness {
                meta: &#meta_name,
                place: #krate::__rt::Place {
                    manifest_dir: #krate::__rt::core::option_env!("CARGO_MANIFEST_DIR"),
                    bin: #krate::__rt::core::option_env!("CARGO_BIN_NAME"),
                    module: #krate::__rt::core::module_path!(),
                },
                entry: #entry_name,
                native,
            })
        }

        #(#cfgs)*
        #[cfg(test)]
        #[#krate::__rt::core::prelude::v1::test]
        #ignore
        #case
        fn #test() {
            #holder()
        }

        #tests
    }
}

/// Returns the description of the harness, as a static.
fn meta(harness: &Harness, krate: &Krate, item: &Ident, regressions: &str) -> TokenStream {
    let options = &harness.options;
    // As it is called, and as libtest would show it: `r#type`.
    let name = harness.function.sig.ident.to_string();
    let start = harness.function.sig.ident.span().start();
    let (line, column) = (start.line as u32, start.column as u32 + 1);
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    let flags = flag(options.should_panic, FLAG_SHOULD_PANIC)
        | flag(harness.ignore.is_some(), FLAG_IGNORED)
        | flag(options.is_kani_proof, FLAG_KANI_PROOF);
    let written: Vec<String> = harness
        .arguments
        .iter()
        .map(|argument| format!("{}: {}", argument.name, argument.written))
        .collect();
    let arguments = written.join(", ");
    let bound = default_bound(harness, krate);
    let expected = &options.expected;
    let model = &options.memory_model;
    let (timeout, paths) = (options.timeout_ms, options.max_paths);
    let (steps, memory) = (options.max_steps, options.max_memory);
    let (instructions, queries) = (options.max_instructions, options.max_queries);
    quote! {
        static #item: #krate::abi::Meta = #krate::abi::Meta {
            version: #krate::abi::VERSION,
            flags: #flags,
            timeout_ms: #timeout,
            max_paths: #paths,
            max_steps: #steps,
            max_memory: #memory,
            bound: #bound,
            max_instructions: #instructions,
            max_queries: #queries,
            unused: 0,
            name: #krate::__rt::text(#name),
            module: #krate::__rt::text(#krate::__rt::core::module_path!()),
            file: #krate::__rt::text(#krate::__rt::core::file!()),
            line: #line,
            column: #column,
            manifest_dir: #krate::__rt::text(match #krate::__rt::core::option_env!("CARGO_MANIFEST_DIR") {
                #krate::__rt::core::option::Option::Some(directory) => directory,
                #krate::__rt::core::option::Option::None => "",
            }),
            regressions: #krate::__rt::text(#regressions),
            args: #krate::__rt::text(#arguments),
            should_panic_expected: #krate::__rt::text(#expected),
            memory_model: #krate::__rt::text(#model),
        };
    }
}

/// Returns the entry for the engine: draw, call, judge the result.
fn entry(harness: &Harness, krate: &Krate, item: &Ident) -> TokenStream {
    let draws = harness
        .arguments
        .iter()
        .enumerate()
        .map(|(i, argument)| draw(harness, krate, i, argument));
    let call = call(harness, krate);
    quote! {
        #[inline(never)]
        fn #item() {
            #(#draws)*
            #call
        }
    }
}

/// Returns the entry of a native process, which describes the arguments on request.
fn native(harness: &Harness, krate: &Krate) -> TokenStream {
    let recorder = Ident::new("recorder", Span::mixed_site());
    let draws = harness.arguments.iter().enumerate().map(|(i, argument)| {
        let draw = draw(harness, krate, i, argument);
        quote!(#draw #recorder.drawn();)
    });
    let describe = harness.arguments.iter().enumerate().map(|(i, argument)| {
        let variable = variable(i);
        let (name, written) = (&argument.name, &argument.written);
        let prefix = match argument.passing.mutable() {
            None => "",
            Some(false) => "&",
            Some(true) => "&mut ",
        };
        let probe = quote!(#krate::__rt::Probe(&#variable));
        let about = quote!((#name, #written), #prefix);
        let debug = quote!(#probe.symex_debug());
        let redraw = match &argument.draw.from {
            Origin::With(expression) => {
                let text = expression.to_token_stream().to_string();
                quote!(#krate::__rt::Redraw::With(#text))
            }
            _ => quote!(#probe.symex_redraw()),
        };
        match argument.passing {
            Passing::Value | Passing::Reference { .. } => quote! {
                #recorder.value(#about, #redraw, #debug, |out| #probe.symex_source(out));
            },
            Passing::Slice { .. } => quote! {
                #recorder.slice(#about, #redraw, #debug, |out| #probe.symex_list(out));
            },
            Passing::Text { .. } => quote!(#recorder.text(#about, #debug, &#variable);),
        }
    });
    let call = call(harness, krate);
    let suffix = if harness.returns == Returns::Result {
        ".unwrap()"
    } else {
        ""
    };
    quote! {
        fn native(#recorder: &mut #krate::__rt::Recorder<'_>) {
            #(#draws)*
            if #recorder.describes() {
                #(#describe)*
                #recorder.complete(#suffix);
            }
            if #recorder.calls() {
                #call
            }
        }
    }
}

fn variable(index: usize) -> Ident {
    format_ident!("argument_{index}", span = Span::mixed_site())
}

fn draw_name(index: usize) -> Ident {
    format_ident!("NAME_{index}")
}

fn default_bound(harness: &Harness, krate: &Krate) -> TokenStream {
    match &harness.options.bound {
        Some(bound) => as_length(bound),
        None => quote!(#krate::__rt::DEFAULT_BOUND),
    }
}

/// Returns `let argument_0: T = ..`.
fn draw(harness: &Harness, krate: &Krate, index: usize, argument: &Argument) -> TokenStream {
    let variable = variable(index);
    let name = draw_name(index);
    let bound = default_bound(harness, krate);
    let cx = quote!(#krate::Cx::new(#name, #bound));
    let drawn = &argument.drawn;
    let (ty, seen) = match argument.passing {
        Passing::Value | Passing::Reference { .. } => (quote!(#drawn), drawn.clone()),
        Passing::Slice { .. } => (
            quote!(#krate::__rt::std::vec::Vec<#drawn>),
            parse_quote_spanned!(drawn.span()=> [#drawn]),
        ),
        Passing::Text { .. } => (quote!(#krate::__rt::std::string::String), drawn.clone()),
    };
    let krate = &krate.at(drawn.span());
    let any = |cx| quote_spanned!(drawn.span()=> #krate::__rt::Draw::<#ty>::new(#cx).draw());
    let value = argument.draw.value(&ty, &seen, &cx, any, krate);
    let mutable = argument.passing.mutable().unwrap_or(false);
    let mutable = mutable.then(|| quote!(mut));
    quote!(let #mutable #variable: #ty = #value;)
}

/// Returns the call and the code that judges its result.
fn call(harness: &Harness, krate: &Krate) -> TokenStream {
    let name = &harness.function.sig.ident;
    let arguments = harness.arguments.iter().enumerate().map(|(i, argument)| {
        let variable = variable(i);
        match argument.passing {
            Passing::Value => quote!(#variable),
            Passing::Reference { mutable: false } => quote!(&#variable),
            Passing::Reference { mutable: true } => quote!(&mut #variable),
            Passing::Slice { mutable: false } => quote!(&#variable[..]),
            Passing::Text { mutable: false } => quote!(#variable.as_str()),
            Passing::Slice { mutable: true } => quote!(&mut #variable[..]),
            Passing::Text { mutable: true } => quote!(#variable.as_mut_str()),
        }
    });
    // Within the holder these two names are its own items.
    let outer = (name == names::ENTRY || name == "native").then(|| quote!(self::));
    let call = quote!(#outer #name(#(#arguments),*));
    match (harness.returns, &harness.result) {
        (Returns::Unit | Returns::Never, _) => quote!(#call;),
        (_, Some(ty)) => {
            quote_spanned!(ty.span()=> #krate::__rt::finish::<#ty>(#call);)
        }
        (_, None) => quote!(#krate::__rt::finish(#call);),
    }
}
