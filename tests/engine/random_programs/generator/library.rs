//! Generator of statements that use the standard library: formatting and parsing, vectors, maps,
//! slices, strings, shared cells, dynamic dispatch and iterators.

use super::{Bool, Char, Float, INTS, Type, U32, USIZE, Writer};

impl Writer {
    pub(super) fn format(&mut self) {
        let form = self
            .random
            .pick(&["{}", "{:?}", "{:>12}", "{:<7}|", "{:^9}", "{:+}", "{:08}"]);
        let kind = self.any_type();
        let form = if matches!(kind, Bool | Char) {
            "{:?}"
        } else {
            form
        };
        let value = self.expr(kind, 2);
        line!(self, "h.text(&format!(\"{form}\", {value}));");
        let kind = self.int();
        let form = self
            .random
            .pick(&["{:x}", "{:#X}", "{:b}", "{:#010o}", "{:#06x}", "{:e}"]);
        let value = self.expr(kind, 2);
        line!(self, "h.text(&format!(\"{form}\", {value}));");
        let value = self.expr(Float("f64"), 1);
        let digits = self.random.below(5);
        line!(
            self,
            "{{ let f = {value}; if !f.is_nan() {{ h.text(&format!(\"{{:.{digits}}} {{:e}}\", f, f)); }} }}"
        );
    }

    pub(super) fn parse(&mut self) {
        let (from, to) = (self.int(), self.int());
        let value = self.expr(from, 2);
        let (t, s) = (to.name(), self.name());
        line!(self, "let {s} = ({value}).to_string();");
        line!(
            self,
            "match {s}.parse::<{t}>() {{ Ok(v) => h.add(v), Err(e) => h.text(&e.to_string()) }}"
        );
        line!(
            self,
            "match {t}::from_str_radix(&{s}, {}) {{ Ok(v) => h.add(v), Err(e) => h.text(&format!(\"{{e:?}}\")) }}",
            11 + self.random.below(26)
        );
        line!(
            self,
            "if let Ok(f) = format!(\"{{{s}}}e-{}\").parse::<f64>() {{ h.add(f); }}",
            self.random.below(30)
        );
    }

    /// Writes a vector with items that depend on the input; returns its name.
    pub(super) fn items(&mut self, kind: Type) -> String {
        let (t, v) = (kind.name(), self.name());
        let count = self.expr(USIZE, 1);
        let outer = self.variables.len();
        self.variables.push(("i".to_owned(), USIZE));
        let item = self.expr(kind, 2);
        self.variables.truncate(outer);
        let some = 1 + self.random.below(24);
        line!(
            self,
            "let mut {v}: Vec<{t}> = (0..3 + ({count}) % {some}).map(|i| {item}.wrapping_add((i * i) as {t})).collect();"
        );
        v
    }

    pub(super) fn vector(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        for _ in 0..2 {
            let (a, i) = (self.expr(kind, 1), self.expr(USIZE, 1));
            let line = match self.random.below(12) {
                0 => format!("{v}.sort();"),
                1 => format!("{v}.sort_unstable_by(|a, b| b.cmp(a));"),
                2 => format!("{v}.sort_by_key(|k| k & 15);"),
                3 => format!("{v}.sort(); {v}.dedup();"),
                4 => format!("{v}.retain(|k| k & 1 == {a} & 1);"),
                5 => format!("{v}.insert(({i}) % ({v}.len() + 1), {a});"),
                6 => format!(
                    "if !{v}.is_empty() {{ let n = {v}.len(); h.add({v}.remove(({i}) % n)); }}"
                ),
                7 => format!(
                    "let tail = {v}.split_off(({i}) % ({v}.len() + 1)); h.add(tail.len()); {v}.extend(tail.iter().rev());"
                ),
                8 => format!("for w in {v}.windows(2) {{ h.add(w[0] < w[1]); }}"),
                9 => format!("h.add({v}.drain(..({i}) % ({v}.len() + 1)).count());"),
                10 => format!(
                    "match {v}.binary_search(&{a}) {{ Ok(n) => h.add(n), Err(n) => h.add(n as u8) }}"
                ),
                _ => format!("{v}.truncate(({i}) & 7); {v}.resize(5, {a}); {v}.push({a});"),
            };
            self.line(&line);
        }
        line!(self, "h.add({v}.len()); for k in &{v} {{ h.add(*k); }}");
        line!(
            self,
            "h.add({v}.iter().max().copied().unwrap_or_default());"
        );
    }

    pub(super) fn map(&mut self) {
        let kind = INTS[self.random.below(12)];
        let v = self.items(kind);
        let m = self.name();
        let probe = self.expr(kind, 1);
        if self.random.below(2) == 0 {
            line!(self, "let mut {m} = std::collections::BTreeMap::new();");
            line!(
                self,
                "for (i, k) in {v}.iter().enumerate() {{ *{m}.entry(*k & 31).or_insert(0usize) += i; }}"
            );
            line!(
                self,
                "for (k, n) in &{m} {{ h.add(*k); h.add(*n); }} h.add({m}.range({probe}..).count());"
            );
        } else {
            line!(self, "let mut {m} = std::collections::HashMap::new();");
            line!(
                self,
                "for (i, k) in {v}.iter().enumerate() {{ *{m}.entry(*k & 31).or_insert(0usize) += i; }}"
            );
            line!(
                self,
                "h.add({m}.len()); h.add({m}.contains_key(&({probe} & 31))); let mut all: Vec<_> = {m}.into_iter().collect(); all.sort();"
            );
            self.line("for (k, n) in all { h.add(k); h.add(n); }");
        }
    }

    pub(super) fn dynamic(&mut self) {
        let (n, a, b) = (
            self.expr(USIZE, 2),
            self.expr(U32, 1),
            self.expr(INTS[9], 1),
        );
        let d = self.name();
        line!(
            self,
            "let {d}: Vec<Box<dyn Measure>> = vec![Box::new({a}), Box::new(Shape::One({a} as i32)), Box::new(vec![{a}, 1]), Box::new(({b}).to_string())];"
        );
        line!(
            self,
            "h.add({d}[({n}) & 3].measure()); for m in &{d} {{ h.add(m.measure() ^ m.twice()); }}"
        );
    }

    pub(super) fn slices(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        let (i, j) = (self.expr(USIZE, 2), self.expr(USIZE, 2));
        line!(
            self,
            "{{ let (i, j) = (({i}) % 6, ({j}) % 6); h.caught(std::panic::catch_unwind(|| {v}[i..j].iter().fold(0usize, |n, k| n ^ *k as usize))); }}"
        );
        let size = 1 + self.random.below(4);
        line!(
            self,
            "for c in {v}.chunks({size}) {{ h.add(c[0]); h.add(c.len()); }}"
        );
        line!(
            self,
            "{{ let (l, r) = {v}.split_at_mut(2); l[0] = r[0]; l.swap_with_slice(&mut [r[0], l[1]]); }}"
        );
        line!(
            self,
            "let n = {v}.len(); {v}.copy_within(1..n, 0); h.add({v} == [{}]); for k in {v}.concat_with() {{ h.add(k); }}",
            self.leaf(kind)
        );
    }

    pub(super) fn text_work(&mut self) {
        let s = self.name();
        let (c, n) = (self.expr(Char, 2), self.expr(USIZE, 1));
        let (a, b) = (self.int(), self.expr(Char, 2));
        let a = self.expr(a, 2);
        line!(
            self,
            "let mut {s} = format!(\"{{}}, {{}};é{{}}\", {a}, {c}, {b});"
        );
        let line = match self.random.below(8) {
            0 => format!("{s} = {s}.to_uppercase();"),
            1 => format!("{s} = {s}.chars().rev().collect();"),
            2 => format!(
                "for part in {s}.split([',', ';']) {{ h.text(part.trim()); h.add(part.len()); }}"
            ),
            3 => format!("h.add({s}.find({b}).unwrap_or(99)); {s} = {s}.replace(\"1\", \"one\");"),
            4 => format!("h.caught(std::panic::catch_unwind(|| {s}[..({n}) % 12].len()));"),
            5 => format!("for (i, c) in {s}.char_indices() {{ h.add(i); h.add(c); }}"),
            6 => {
                format!("{s}.insert(0, {c}); {s}.push_str(&{s}.clone()); {s}.retain(|c| c != '1');")
            }
            _ => format!(
                "h.add(String::from_utf8({s}.bytes().map(|b| b ^ ({n} as u8 & 1)).collect()).is_ok()); h.text(&String::from_utf8_lossy(&{s}.as_bytes()[1..]));"
            ),
        };
        self.line(&line);
        line!(
            self,
            "h.text(&{s}); h.add({s}.chars().count()); h.add({s}.as_str() < \"5\");"
        );
    }

    pub(super) fn shared(&mut self) {
        let kind = self.int();
        let (r, a, b) = (self.name(), self.expr(kind, 2), self.expr(kind, 2));
        line!(
            self,
            "let {r} = std::rc::Rc::new(std::cell::RefCell::new(vec![{a}]));"
        );
        line!(
            self,
            "{{ let other = {r}.clone(); other.borrow_mut().push({b}); h.add(std::rc::Rc::strong_count(&{r})); }}"
        );
        line!(
            self,
            "h.add({r}.borrow()[1]); h.add({r}.try_borrow_mut().is_ok()); h.add(std::rc::Rc::strong_count(&{r}));"
        );
        line!(
            self,
            "{{ let log = std::cell::Cell::new(1u64); {{ let _a = Dropped(&log, 3); let _b = Dropped(&log, 5); if ({a}) & 1 == 0 {{ std::mem::drop(_a); }} }} h.add(log.get()); }}"
        );
    }

    pub(super) fn iterators(&mut self) {
        let kind = self.int();
        let v = self.items(kind);
        let outer = self.variables.len();
        self.variables.push(("k".to_owned(), kind));
        let (cond, image) = (self.expr(Bool, 2), self.expr(kind, 2));
        self.variables.truncate(outer);
        let n = self.random.below(4);
        let t = kind.name();
        let line = match self.random.below(6) {
            0 => format!(
                "h.add({v}.iter().copied().filter(|&k| {cond}).map(|k| {image}).fold(0 as {t}, |a, b| a.rotate_left(3) ^ b));"
            ),
            1 => format!(
                "for (a, b) in {v}.iter().skip({n}).step_by(2).zip({v}.iter().rev()) {{ h.add(a.wrapping_sub(*b)); }}"
            ),
            2 => format!(
                "h.add({v}.iter().copied().take_while(|&k| {cond}).count()); h.add({v}.iter().position(|&k| {cond}).unwrap_or(77));"
            ),
            3 => format!(
                "let (l, r): (Vec<{t}>, Vec<{t}>) = {v}.iter().copied().partition(|&k| {cond}); h.add(l.len()); for k in r.iter().chain(&l) {{ h.add(*k); }}"
            ),
            4 => format!(
                "h.add({v}.iter().copied().map(|k| k.checked_mul(3)).collect::<Option<Vec<_>>>().map_or(5, |v| v.len())); h.add({v}.iter().flat_map(|k| k.to_le_bytes()).map(u32::from).sum::<u32>());"
            ),
            _ => format!(
                "let mut it = {v}.iter().copied().peekable(); while let Some(k) = it.next() {{ if let Some(&next) = it.peek() {{ h.add(k.cmp(&next) as i8); }} if {cond} {{ it.nth({n}); }} }}"
            ),
        };
        self.line(&line);
    }
}
