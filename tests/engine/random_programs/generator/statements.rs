//! Generator of statements of the language itself: loops, arrays, an enum, closures, panics that
//! are caught.

use super::{Bool, Flavour, INTS, U32, USIZE, Writer};

impl Writer {
    pub(super) fn counting_loop(&mut self) {
        let kind = self.int();
        let (t, acc) = (kind.name(), self.name());
        let most = if self.flavour == Flavour::Light { 3 } else { 7 };
        let (start, count) = (self.expr(kind, 1), self.expr(USIZE, 1));
        line!(self, "let mut {acc}: {t} = {start};");
        let outer = self.variables.len();
        self.variables.push((acc.clone(), kind));
        self.variables.push(("i".to_owned(), USIZE));
        let (step, stop) = (self.expr(kind, 2), self.expr(Bool, 2));
        line!(
            self,
            "for i in 0..({count} & {most}) {{ {acc} = {acc}.wrapping_add({step}); if {stop} {{ {} }} }}",
            ["break", "continue", "h.add(i)"][self.random.below(3)]
        );
        self.variables.truncate(outer);
        line!(self, "h.add({acc});");
        self.variables.push((acc, kind));
    }

    pub(super) fn while_loop(&mut self) {
        let kind = INTS[self.random.below(5)];
        let (t, n) = (kind.name(), self.name());
        let start = self.expr(kind, 2);
        let shift = 3 + self.random.below(3);
        let other = self.expr(kind, 1);
        line!(self, "let mut {n}: {t} = {start};");
        line!(
            self,
            "while {n} != 0 {{ h.add({n}); {n} = ({n} >> {shift}) & !({other} & 1); }}"
        );
    }

    pub(super) fn array(&mut self) {
        let kind = self.int();
        let (t, a) = (kind.name(), self.name());
        let length = 3 + self.random.below(6);
        let items: Vec<String> = (0..length).map(|_| self.expr(kind, 1)).collect();
        line!(
            self,
            "let mut {a}: [{t}; {length}] = [{}];",
            items.join(", ")
        );
        let (i, j, v) = (self.expr(USIZE, 2), self.expr(USIZE, 2), self.expr(kind, 2));
        // Sometimes one too far.
        let modulus = length + usize::from(self.random.below(4) == 0);
        line!(self, "{a}[({i}) % {length}] = {v};");
        line!(self, "h.add({a}[({j}) % {modulus}]);");
        match self.random.below(4) {
            0 => line!(self, "{a}.reverse();"),
            1 => line!(self, "{a}.swap(0, ({i}) % {length});"),
            2 => line!(self, "{a}.rotate_left({});", self.random.below(length)),
            _ => line!(self, "{a}[1..].fill({});", self.leaf(kind)),
        }
        line!(self, "for v in {a}.iter() {{ h.add(*v); }}");
    }

    pub(super) fn shape(&mut self) {
        let s = self.name();
        let (n, a, b, c) = (
            self.expr(INTS[0], 2),
            self.expr(INTS[8], 1),
            self.expr(INTS[1], 1),
            self.expr(INTS[3], 1),
        );
        let wide = self.expr(INTS[5], 1);
        line!(
            self,
            "let {s} = match {n} % 5 {{ 0 => Shape::Unit, 1 => Shape::One({a}), 2 => Shape::Pair {{ a: {b}, b: {c} }}, \
             3 => Shape::Wide({wide}), _ => Shape::Nested(Box::new(Shape::Pair {{ a: {b}, b: {c} }})) }};"
        );
        line!(self, "h.add({s}.measure());");
        if self.flavour == Flavour::Rich {
            line!(
                self,
                "h.text(&format!(\"{{:?}}\", {s})); h.add({s}.clone() == Shape::One({a}));"
            );
        }
    }

    pub(super) fn closure(&mut self) {
        let kind = self.int();
        let (t, f) = (kind.name(), self.name());
        let outer = self.variables.len();
        self.variables.push(("p".to_owned(), kind));
        self.variables.push(("q".to_owned(), kind));
        let body = self.expr(kind, 2);
        self.variables.truncate(outer);
        line!(self, "let {f} = |p: {t}, q: {t}| -> {t} {{ {body} }};");
        let (a, b) = (self.expr(kind, 1), self.expr(kind, 1));
        let call = self.random.pick(&["apply(&", "apply_dyn(&"]);
        line!(self, "h.add({call}{f}, {a}, {b}));");
    }

    pub(super) fn caught(&mut self) {
        let kind = self.int();
        let (a, b) = (self.expr(kind, 2), self.expr(kind, 2));
        let op = self.random.pick(&["+", "-", "*", "<<"]);
        let op = if self.flavour == Flavour::Light && op == "*" {
            "-"
        } else {
            op
        };
        line!(
            self,
            "h.caught(std::panic::catch_unwind(|| ({a}) {op} ({b})));"
        );
    }

    pub(super) fn pair(&mut self) {
        let (one, two) = (self.int(), self.any_type());
        let two = if two == Bool { U32 } else { two };
        let p = self.name();
        let (a, b) = (self.expr(one, 2), self.expr(two, 2));
        line!(self, "let {p} = swap_pair(({a}, {b}));");
        line!(self, "h.add({p}.0); h.add({p}.1);");
        let narrow = self.expr(INTS[0], 1);
        let try_from = self.expr(one, 1);
        let t = INTS[self.random.below(12)].name();
        line!(
            self,
            "if let Ok(v) = {t}::try_from({try_from}) {{ h.add(v); }} else {{ h.add({narrow}); }}"
        );
    }
}
