//! Reads the description of a crate that rustdoc writes as JSON.
//!
//! Its form changes with the toolchain. What is read here has been the same since Rust 1.88; fields
//! that are not known are passed over, and a type of a kind that is not known is one that no input
//! can have.

use super::api::{Api, Fields, Function, Generics, Impl, Owner, Parameter, Shape, TypeItem};
use super::types::{Bindings, Bound, Id, Named, Type};
use crate::judgement::promises_panics;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Reads the description of a crate.
pub fn read(text: &[u8]) -> Result<Api, String> {
    let json: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let root = json["root"].as_u64().ok_or("it has no root")?;
    let mut reader = Reader {
        json: &json,
        krate: json["index"][root.to_string()]["name"]
            .as_str()
            .ok_or("its root has no name")?
            .to_owned(),
        names: BTreeMap::new(),
    };
    reader.walk(root);
    Ok(reader.api())
}

struct Reader<'a> {
    json: &'a Value,
    krate: String,
    /// Paths by which a user can name items, the shortest of each.
    names: BTreeMap<Id, String>,
}

impl<'a> Reader<'a> {
    fn item(&self, id: Id) -> &'a Value {
        &self.json["index"][id.to_string()]
    }

    /// Finds all items that a user can name.
    fn walk(&mut self, root: Id) {
        let mut open = VecDeque::from([(root, self.krate.clone())]);
        let mut seen = BTreeSet::new();
        while let Some((module, path)) = open.pop_front() {
            // What a module takes over from others has its path, not a longer one.
            let mut same_path = vec![module];
            while let Some(module) = same_path.pop() {
                if !seen.insert((module, path.clone())) || path.matches("::").count() > 8 {
                    continue;
                }
                for id in ids(&self.item(module)["inner"]["module"]["items"]) {
                    self.walk_item(id, &path, &mut same_path, &mut open);
                }
            }
        }
    }

    fn walk_item(
        &mut self,
        id: Id,
        path: &str,
        same_path: &mut Vec<Id>,
        open: &mut VecDeque<(Id, String)>,
    ) {
        let item = self.item(id);
        if item["visibility"] != "public" {
            return;
        }
        let within = |name: &Value| format!("{path}::{}", plain(name.as_str().unwrap_or_default()));
        let (target, name) = match item["inner"].get("use") {
            Some(import) => {
                let Some(target) = import["id"].as_u64() else {
                    return;
                };
                if import["is_glob"] == true {
                    same_path.push(target);
                    return;
                }
                (target, within(&import["name"]))
            }
            None => (id, within(&item["name"])),
        };
        if self.item(target)["inner"].get("module").is_some() {
            open.push_back((target, name));
        } else {
            self.names.entry(target).or_insert(name);
        }
    }

    fn api(&self) -> Api {
        let mut api = Api {
            krate: self.krate.clone(),
            ..Api::default()
        };
        for (&id, path) in &self.names {
            let item = self.item(id);
            let inner = &item["inner"];
            if inner.get("trait").is_some() {
                api.traits.insert(id, path.clone());
            } else if let Some(of) = inner.get("constant").or(inner.get("static")) {
                api.constants.push((path.clone(), self.ty(&of["type"])));
            } else if inner.get("function").is_some() {
                let owner = Owner::Module(path.clone());
                api.functions.extend(self.function(item, owner, None));
            } else if let Some(of) = self.type_item(item, path) {
                api.types.insert(id, of);
            }
        }
        let mut items: Vec<&Value> = self.json["index"]
            .as_object()
            .into_iter()
            .flat_map(|index| index.values())
            .filter(|item| item["inner"].get("impl").is_some())
            .collect();
        items.sort_by_key(|item| item["id"].as_u64());
        for item in items {
            self.implementation(item, &mut api);
        }
        self.provided(&mut api);
        // A type's own functions come before those of traits.
        let is_of_trait = |function: &Function| matches!(function.owner, Owner::Trait { .. });
        api.functions
            .sort_by(|a, b| (is_of_trait(a), &a.place).cmp(&(is_of_trait(b), &b.place)));
        api
    }

    fn type_item(&self, item: &Value, path: &str) -> Option<TypeItem> {
        let inner = &item["inner"];
        let (kind, of) = inner.as_object()?.iter().next()?;
        let is_open = !has_attribute(item, "non_exhaustive");
        let shape = match kind.as_str() {
            "struct" if is_open => match self.fields(&of["kind"]) {
                Fields::Hidden => Shape::Opaque,
                fields => Shape::Struct(fields),
            },
            "struct" | "union" => Shape::Opaque,
            "enum" => {
                let variants = ids(&of["variants"]).filter_map(|id| {
                    let variant = self.item(id);
                    let kind = variant["inner"].get("variant")?.get("kind")?;
                    let name = plain(variant["name"].as_str()?);
                    Some(match has_attribute(variant, "non_exhaustive") {
                        true => (name, Fields::Hidden),
                        false => (name, self.fields(kind)),
                    })
                });
                Shape::Enum(variants.collect())
            }
            "type_alias" => Shape::Alias(self.ty(&of["type"])),
            _ => return None,
        };
        Some(TypeItem {
            path: path.to_owned(),
            name: plain(item["name"].as_str()?),
            parameters: self.generics(&of["generics"]).parameters,
            shape,
        })
    }

    fn fields(&self, kind: &Value) -> Fields {
        if kind == "unit" || kind == "plain" {
            return Fields::Unit;
        }
        let field = |id: Id| {
            let field = self.item(id);
            let is_public = field["visibility"] != "crate" && !field.is_null();
            let ty = field["inner"].get("struct_field")?;
            let name = plain(field["name"].as_str()?);
            is_public.then(|| (name, self.ty(ty)))
        };
        if let Some(tuple) = kind["tuple"].as_array() {
            let fields = tuple.iter().map(|id| Some(field(id.as_u64()?)?.1));
            return fields
                .collect::<Option<_>>()
                .map_or(Fields::Hidden, Fields::Tuple);
        }
        let named = match kind.get("plain") {
            Some(plain) => plain,
            None => &kind["struct"],
        };
        if named["has_stripped_fields"] != false {
            return Fields::Hidden;
        }
        let fields = ids(&named["fields"]).map(field);
        fields
            .collect::<Option<_>>()
            .map_or(Fields::Hidden, Fields::Named)
    }

    fn implementation(&self, item: &Value, api: &mut Api) {
        let of = &item["inner"]["impl"];
        if of["is_synthetic"] == true || !of["blanket_impl"].is_null() || of["is_negative"] == true
        {
            return;
        }
        let mut generics = self.generics(&of["generics"]);
        let ty = self.ty(&of["for"]);
        take_defaults(&mut generics, &ty, api);
        let is_derived = has_attribute(item, "automatically_derived");
        let members: Vec<&Value> = ids(&of["items"]).map(|id| self.item(id)).collect();
        let owner = if of["trait"].is_null() {
            // A type that a user cannot name has no methods that a user can call by their path.
            match &ty {
                Type::Named(named) if api.types.contains_key(&named.id) => Owner::Type(ty.clone()),
                _ => return,
            }
        } else {
            let by = self.named(&of["trait"]);
            let types = members.iter().filter_map(|member| {
                let of = member["inner"].get("assoc_type")?;
                let name = member["name"].as_str()?.to_owned();
                Some((name, self.ty(of.get("type").or(of.get("default"))?)))
            });
            api.impls.push(Impl {
                by: by.clone(),
                of: ty.clone(),
                generics: generics.clone(),
                types: types.collect(),
                is_derived,
            });
            // No one calls a destructor.
            if by.is_std() && by.name == "Drop" {
                return;
            }
            Owner::Trait { of: ty.clone(), by }
        };
        if is_derived {
            return;
        }
        let is_inherent = matches!(owner, Owner::Type(_));
        for member in members {
            if is_inherent
                && member["visibility"] == "public"
                && let Some(of) = member["inner"].get("assoc_const")
                && let Type::Named(named) = &ty
                && let Some(name) = member["name"].as_str()
            {
                let this = Bindings::from([("Self".to_owned(), ty.clone())]);
                let path = format!("{}::{name}", api.path_of(named));
                let of = self.ty(&of["type"]).substitute(&this);
                api.constants.push((path, of));
            }
            if is_inherent && member["visibility"] != "public" {
                continue;
            }
            let function = self.function(member, owner.clone(), Some(&generics));
            api.functions.extend(function);
        }
    }

    /// Adds the functions that traits of the crate provide, as functions on a parameter `Self`.
    fn provided(&self, api: &mut Api) {
        for &id in api.traits.clone().keys() {
            let item = self.item(id);
            let by = Named {
                id,
                name: plain(item["name"].as_str().unwrap_or_default()),
                krate: String::new(),
                module: String::new(),
                arguments: Vec::new(),
            };
            let of = &item["inner"]["trait"];
            let parameters = self.generics(&of["generics"]);
            if !parameters.parameters.is_empty() {
                continue;
            }
            let bound = Bound {
                of: by.clone(),
                bindings: Vec::new(),
                call: None,
                item_bounds: Vec::new(),
            };
            let generics = Generics {
                parameters: vec![Parameter {
                    name: "Self".to_owned(),
                    constant: None,
                    bounds: vec![bound],
                    default: None,
                }],
                ..Generics::default()
            };
            let owner = Owner::Trait {
                of: Type::Parameter("Self".to_owned()),
                by,
            };
            for member in ids(&of["items"]).map(|id| self.item(id)) {
                if member["inner"]["function"]["has_body"] == true {
                    let function = self.function(member, owner.clone(), Some(&generics));
                    api.functions.extend(function);
                }
            }
        }
    }

    fn function(&self, item: &Value, owner: Owner, outer: Option<&Generics>) -> Option<Function> {
        let of = item["inner"].get("function")?;
        let own = self.generics(&of["generics"]);
        let outer = outer.cloned().unwrap_or_default();
        let of_impl = outer.parameters.len();
        let mut generics = Generics {
            parameters: [outer.parameters, own.parameters].concat(),
            conditions: [outer.conditions, own.conditions].concat(),
            of_impl,
        };
        let mut this = Bindings::new();
        if let Owner::Type(of) | Owner::Trait { of, .. } = &owner {
            this.insert("Self".to_owned(), of.clone());
        }
        for parameter in &mut generics.parameters {
            let bounds = parameter.bounds.iter();
            parameter.bounds = bounds.map(|bound| bound.substitute(&this)).collect();
        }
        // A condition of the function may be about a parameter of the implementation.
        let conditions = std::mem::take(&mut generics.conditions);
        for (ty, bounds) in conditions {
            let ty = ty.substitute(&this);
            let mut parameters = generics.parameters.iter_mut();
            let known = parameters.find(|parameter| ty == Type::Parameter(parameter.name.clone()));
            match known {
                Some(parameter) => parameter.bounds.extend(bounds),
                None => generics.conditions.push((ty, bounds)),
            }
        }
        let signature = &of["sig"];
        let inputs = signature["inputs"].as_array()?.iter();
        let inputs = inputs.map(|input| {
            let name = plain(input[0].as_str().unwrap_or_default());
            (name, self.ty(&input[1]).substitute(&this))
        });
        let output = match &signature["output"] {
            Value::Null => Type::unit(),
            output => self.ty(output).substitute(&this),
        };
        let by_trait = match &owner {
            Owner::Trait { by, .. } => self.trait_promises_panics(by, &item["name"]),
            _ => false,
        };
        let header = &of["header"];
        let docs = item["docs"].as_str().unwrap_or_default();
        Some(Function {
            name: plain(item["name"].as_str()?),
            owner,
            generics,
            inputs: inputs.collect(),
            output,
            is_unsafe: header["is_unsafe"] == true,
            is_async: header["is_async"] == true,
            is_deprecated: !item["deprecation"].is_null(),
            may_panic: promises_panics(docs) || by_trait,
            place: (
                item["span"]["filename"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                item["span"]["begin"][0].as_u64().unwrap_or_default(),
            ),
        })
    }

    /// Reports whether the documentation of a trait says that this function of it may panic.
    fn trait_promises_panics(&self, by: &Named, function: &Value) -> bool {
        if by.is_std() {
            // That of the standard library is not at hand.
            return by.name.starts_with("Index");
        }
        let mut members = ids(&self.item(by.id)["inner"]["trait"]["items"]);
        let member = members.find(|id| self.item(*id)["name"] == *function);
        member.is_some_and(|id| promises_panics(self.item(id)["docs"].as_str().unwrap_or_default()))
    }

    fn generics(&self, generics: &Value) -> Generics {
        let mut read = Generics::default();
        for parameter in generics["params"].as_array().into_iter().flatten() {
            let kind = &parameter["kind"];
            let name = plain(parameter["name"].as_str().unwrap_or_default());
            if let Some(of) = kind.get("type") {
                // `impl Trait` in an argument stands there as well.
                if of["is_synthetic"] != true {
                    read.parameters.push(Parameter {
                        name,
                        constant: None,
                        bounds: self.bounds(&of["bounds"]),
                        default: of["default"].is_object().then(|| self.ty(&of["default"])),
                    });
                }
            } else if let Some(of) = kind.get("const") {
                let default = of["default"].as_str().map(str::to_owned);
                read.parameters.push(Parameter {
                    name,
                    constant: Some(self.ty(&of["type"])),
                    bounds: Vec::new(),
                    default: default.map(Type::Const),
                });
            }
        }
        for condition in generics["where_predicates"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let Some(condition) = condition.get("bound_predicate") else {
                continue;
            };
            let ty = self.ty(&condition["type"]);
            let bounds = self.bounds(&condition["bounds"]);
            let mut parameters = read.parameters.iter_mut();
            match parameters.find(|parameter| ty == Type::Parameter(parameter.name.clone())) {
                Some(parameter) => parameter.bounds.extend(bounds),
                None => read.conditions.push((ty, bounds)),
            }
        }
        read
    }

    fn bounds(&self, bounds: &Value) -> Vec<Bound> {
        let bounds = bounds.as_array().into_iter().flatten();
        bounds
            .filter(|bound| bound["trait_bound"]["modifier"] != "maybe")
            .filter_map(|bound| bound.get("trait_bound"))
            .map(|bound| self.bound(&bound["trait"]))
            .collect()
    }

    fn bound(&self, of: &Value) -> Bound {
        let arguments = &of["args"];
        let call = arguments.get("parenthesized").map(|call| {
            let inputs = call["inputs"].as_array().into_iter().flatten();
            let output = match &call["output"] {
                Value::Null => Type::unit(),
                output => self.ty(output),
            };
            (inputs.map(|input| self.ty(input)).collect(), output)
        });
        let mut bindings = Vec::new();
        let mut item_bounds = Vec::new();
        let constraints = arguments["angle_bracketed"]["constraints"].as_array();
        for constraint in constraints.into_iter().flatten() {
            let name = constraint["name"].as_str().unwrap_or_default().to_owned();
            let binding = &constraint["binding"];
            if let Some(ty) = binding["equality"].get("type") {
                bindings.push((name, self.ty(ty)));
            } else if binding["constraint"].is_array() {
                item_bounds.push((name, self.bounds(&binding["constraint"])));
            }
        }
        Bound {
            of: self.named(of),
            bindings,
            call,
            item_bounds,
        }
    }

    /// Reads the name of a type or trait with its arguments.
    fn named(&self, of: &Value) -> Named {
        let id = of["id"].as_u64().unwrap_or(Id::MAX);
        let summary = &self.json["paths"][id.to_string()];
        let path = summary["path"].as_array();
        let part = |part: Option<&Value>| part.and_then(Value::as_str).map(str::to_owned);
        // The path as written may be that of an import.
        let written = of["path"].as_str().unwrap_or_default();
        let written = written.rsplit("::").next().unwrap_or_default();
        let name = path.and_then(|path| part(path.last()));
        let krate = match summary["crate_id"].as_u64() {
            Some(0) => None,
            _ => path.and_then(|path| part(path.first())),
        };
        let arguments = of["args"]["angle_bracketed"]["args"].as_array();
        let arguments = arguments.into_iter().flatten().filter_map(|argument| {
            if let Some(ty) = argument.get("type") {
                return Some(self.ty(ty));
            }
            let constant = argument.get("const")?;
            Some(Type::Const(constant["expr"].as_str()?.to_owned()))
        });
        Named {
            id,
            name: plain(&name.unwrap_or_else(|| written.to_owned())),
            krate: krate.unwrap_or_default(),
            module: part(path.and_then(|path| path.iter().rev().nth(1))).unwrap_or_default(),
            arguments: arguments.collect(),
        }
    }

    fn ty(&self, ty: &Value) -> Type {
        let Some((kind, of)) = ty.as_object().and_then(|ty| ty.iter().next()) else {
            return Type::Other("a type that is left to the compiler");
        };
        let list = |list: &Value| -> Vec<Type> {
            let list = list.as_array().into_iter().flatten();
            list.map(|ty| self.ty(ty)).collect()
        };
        match kind.as_str() {
            "resolved_path" => Type::Named(self.named(of)),
            "generic" => Type::Parameter(of.as_str().unwrap_or_default().to_owned()),
            "primitive" => match of.as_str().unwrap_or_default() {
                "unit" => Type::unit(),
                name => Type::primitive(name),
            },
            "tuple" => Type::Tuple(list(of)),
            "slice" => Type::Slice(Box::new(self.ty(of))),
            "array" => {
                let length = of["len"].as_str().unwrap_or_default().to_owned();
                Type::Array(Box::new(self.ty(&of["type"])), length)
            }
            "borrowed_ref" => Type::Reference {
                mutable: of["is_mutable"] == true,
                is_static: of["lifetime"] == "'static",
                to: Box::new(self.ty(&of["type"])),
            },
            "impl_trait" => Type::Impl(self.bounds(of)),
            "dyn_trait" => {
                let traits = of["traits"].as_array().into_iter().flatten();
                Type::Dyn(traits.map(|of| self.bound(&of["trait"])).collect())
            }
            "qualified_path" => Type::Projection {
                of: Box::new(self.ty(&of["self_type"])),
                name: of["name"].as_str().unwrap_or_default().to_owned(),
            },
            "function_pointer" => Type::Other("a pointer to a function"),
            "raw_pointer" => Type::Other("a raw pointer"),
            _ => Type::Other("a type of a kind that is not known"),
        }
    }
}

/// Gives the parameters of an implementation the defaults that the type has for them.
fn take_defaults(generics: &mut Generics, of: &Type, api: &Api) {
    let Type::Named(named) = of else {
        return;
    };
    let Some(item) = api.types.get(&named.id) else {
        return;
    };
    for (argument, parameter) in named.arguments.iter().zip(&item.parameters) {
        let mut own = generics.parameters.iter_mut();
        let own = own.find(|own| *argument == Type::Parameter(own.name.clone()));
        if let Some(own) = own
            && own.default.is_none()
        {
            own.default.clone_from(&parameter.default);
        }
    }
}

/// Returns the numbers in a list; those of items that are not public are left out by rustdoc.
fn ids(list: &Value) -> impl Iterator<Item = Id> + '_ {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
}

/// Returns a name without the prefix `r#`.
fn plain(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

/// Reports whether an item has an attribute, in whichever form the attribute is described.
fn has_attribute(item: &Value, name: &str) -> bool {
    let attributes = item["attrs"].as_array().into_iter().flatten();
    attributes.into_iter().any(|attribute| match attribute {
        Value::String(text) => text.contains(name),
        other => other.to_string().contains(name),
    })
}
