//! Generator of random C functions over a small heap: lists, trees, chained tables, rows of a
//! matrix, arrays of structs, unions of pointers, pointers to pointers; indices, keys, lengths and
//! conditions come from a few small inputs.
//!
//! A function takes the inputs and returns 16 bits. Loops are bounded, memory is initialised, no
//! address gets into the result: natively and in the engine each input has one outcome. Bad
//! accesses happen, each on a line of its own.

use std::fmt::Write;
use symex_testing::random::TestRandom;

/// A function and the inputs it takes.
pub struct Program {
    pub seed: u64,
    /// Number of values of each input.
    pub radices: Vec<usize>,
    /// Text of the function `static uint16_t run_SEED(const uint8_t *in)`.
    pub text: String,
}

impl Program {
    /// Returns the total number of inputs.
    pub fn inputs(&self) -> usize {
        self.radices.iter().product()
    }
}

/// Returns the program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = TestRandom::new(seed);
    let most = random.pick(&[16, 64, 64, 128, 128, 256, 256, 512, 512, 2048]);
    let mut radices = Vec::new();
    let mut inputs = 1;
    for _ in 0..random.between(2, 4) {
        let radix = random.pick(&[2, 3, 4, 4, 5, 8, 8, 16]);
        if inputs * radix <= most {
            radices.push(radix);
            inputs *= radix;
        }
    }
    if radices.is_empty() {
        radices.push(8);
    }
    let mut writer = Writer {
        nodes: random.between(2, 5),
        rows: random.between(2, 4),
        row_length: random.between(2, 6),
        buckets: random.pick(&[2, 4]),
        array: random.between(2, 4),
        careless: random.pick(&[0, 0, 1, 3, 10]),
        inputs: radices.len(),
        depth: 1,
        text: String::new(),
        random,
    };
    writer.function(seed);
    Program {
        seed,
        radices,
        text: writer.text,
    }
}

struct Writer {
    random: TestRandom,
    text: String,
    depth: usize,
    inputs: usize,
    nodes: usize,
    rows: usize,
    row_length: usize,
    buckets: usize,
    array: usize,
    /// Probability in percent of leaving out a null check or a bound.
    careless: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.depth * 2);
    }

    fn function(&mut self, seed: u64) {
        let _ = writeln!(
            self.text,
            "static uint16_t run_{seed}(const uint8_t *in) {{"
        );
        let (nodes, rows, buckets) = (self.nodes, self.rows, self.buckets);
        self.line("uint8_t x0 = 1, x1 = 2, x2 = 0, i = 0, j = 0;");
        self.line(&format!("struct node *n[{nodes}] = {{NULL}}, *buckets[{buckets}] = {{NULL}}, *head = NULL, *root = NULL, *p = NULL, *q = NULL, *t;"));
        self.line(&format!(
            "struct node **pp, *array = get({} * sizeof *array);",
            self.array
        ));
        self.line(&format!("uint8_t *rows[{rows}], *row, *other_row;"));
        for k in 0..nodes {
            let node = match self.random.below(8) {
                0 => "NULL".to_owned(),
                1 => format!("array + {}", self.random.below(self.array)),
                _ => {
                    let val = self.byte(1);
                    format!("new_node({}, {val})", self.random.below(8))
                }
            };
            self.line(&format!("n[{k}] = {node};"));
        }
        for k in 0..rows {
            self.line(&format!("rows[{k}] = get({});", self.row_length));
            let value = self.random.below(256);
            let at = self.random.below(self.row_length);
            self.line(&format!("rows[{k}][{at}] = {value};"));
        }
        for k in 0..self.array {
            let value = self.random.below(256);
            self.line(&format!("array[{k}].val = {value};"));
        }
        self.line("p = q = n[0];");
        self.line("pp = &p;");
        self.line("row = rows[0];");
        for _ in 0..self.random.between(6, 36) {
            self.statement(2);
        }
        self.digest();
        self.text.push_str("}\n");
    }

    /// Writes a digest of all data, in 16 bits.
    fn digest(&mut self) {
        self.line("uint16_t r = x0 ^ (x1 << 4) ^ (x2 << 8);");
        let (nodes, rows, buckets) = (self.nodes, self.rows, self.buckets);
        for k in 0..nodes {
            if self.random.chance(60) {
                self.line(&format!("if (n[{k}])"));
                self.line(&format!("  r += AT(n[{k}]).val << {k};"));
            }
        }
        for k in 0..rows {
            if self.random.chance(60) {
                let at = self.random.below(self.row_length);
                self.line(&format!("r ^= AT(rows[{k}] + {at}) << {k};"));
            }
        }
        for k in 0..buckets {
            if self.random.chance(40) {
                self.line(&format!("r += sum(buckets[{k}], 2);"));
            }
        }
        if self.random.chance(50) {
            self.line("r ^= sum(root, 3);");
        }
        if self.random.chance(50) {
            self.line("r += sum(head, 2);");
        }
        self.line("return r;");
    }

    fn input(&mut self) -> String {
        format!("in[{}]", self.random.below(self.inputs))
    }

    /// Returns an expression without accesses to the heap; it is cut to a byte where it is stored.
    fn byte(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            return match self.random.below(6) {
                0 => self.random.below(256).to_string(),
                1 => self.random.below(5).to_string(),
                2 => self.random.pick(&["x0", "x1", "x2"]).to_owned(),
                _ => self.input(),
            };
        }
        let a = self.byte(depth - 1);
        let b = self.byte(depth - 1);
        match self.random.below(8) {
            0 => format!("({a} ^ {b})"),
            1 => format!("({a} & {b})"),
            2 => format!("({a} < {b})"),
            3 => format!("({a} >> {})", self.random.between(1, 3)),
            4 => format!("({} ? {a} : {b})", self.condition()),
            5 => format!("({a} - {b})"),
            _ => format!("({a} + {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let a = self.byte(1);
        match self.random.below(8) {
            0 => "(p == q)".to_owned(),
            1 => "(n[0] == p)".to_owned(),
            2 => format!("({a} & {})", 1 << self.random.below(3)),
            3 => format!("({a} == {})", self.random.below(8)),
            4 => format!("({a} != {})", self.input()),
            _ => format!("({a} < {})", self.random.between(1, 7)),
        }
    }

    /// Returns an index below `n`, sometimes one too far.
    fn index(&mut self, n: usize) -> String {
        let n = n + usize::from(self.random.chance(self.careless));
        if self.random.chance(15) {
            return self.random.below(n).to_string();
        }
        let byte = if self.random.chance(60) {
            self.input()
        } else {
            self.byte(1)
        };
        format!("(uint8_t)({byte}) % {n}")
    }

    fn node(&mut self) -> &'static str {
        self.random.pick(&["p", "p", "q", "t", "head", "root"])
    }

    /// Returns a pointer to a node, more often than not one of several by a choice.
    fn pointer(&mut self) -> String {
        match self.random.below(10) {
            0..4 => format!("EL(n, {}, {})", self.index(self.nodes), self.nodes),
            4 => format!("array + {}", self.index(self.array)),
            5 => format!(
                "{} ? {} : {}",
                self.condition(),
                self.random.pick(&["p", "q", "head"]),
                self.random.pick(&["p", "q", "root", "NULL"])
            ),
            6 => format!("new_node({}, {})", self.byte(1), self.byte(1)),
            7 => format!("buckets[{}]", self.random.below(self.buckets)),
            8 => format!("n[{}]", self.random.below(self.nodes)),
            _ => self.random.pick(&["p", "q", "head", "root"]).to_owned(),
        }
    }

    /// Writes an access under a condition that makes the pointer valid, unless the condition is
    /// left out.
    fn guarded(&mut self, pointer: &str, access: &str) {
        if !self.random.chance(self.careless) {
            self.line(&format!("if ({pointer})"));
            self.line(&format!("  {access}"));
        } else {
            self.line(access);
        }
    }

    fn field(&mut self) -> String {
        match self.random.below(8) {
            0..3 => "val".to_owned(),
            3 => "key".to_owned(),
            4 => format!("arr[{}]", self.small_index(4)),
            5 => format!("u.byte[{}]", self.small_index(4)),
            _ => "u.word".to_owned(),
        }
    }

    /// Returns an index into an array inside a struct: one too far there would be another field,
    /// and no fault.
    fn small_index(&mut self, n: usize) -> String {
        format!("({}) & {}", self.byte(1), n - 1)
    }

    fn variable(&mut self) -> &'static str {
        self.random.pick(&["x0", "x1", "x2"])
    }

    fn block(&mut self, statements: usize, nesting: usize) {
        self.depth += 1;
        for _ in 0..statements {
            self.statement(nesting - 1);
        }
        self.depth -= 1;
    }

    fn statement(&mut self, nesting: usize) {
        match self.random.below(34) {
            0..2 => {
                let (x, value) = (self.variable(), self.byte(2));
                self.line(&format!("{x} = {value};"));
            }
            2..6 => {
                let pointer = self.pointer();
                let to = self.random.pick(&["p", "p", "p", "q", "q"]);
                self.line(&format!("{to} = {pointer};"));
            }
            6..9 => {
                let (p, field, value) = (self.node_or_p(), self.field(), self.byte(1));
                self.guarded(p, &format!("AT({p}).{field} = {value};"));
            }
            9..11 => {
                let (p, field, x) = (self.node_or_p(), self.field(), self.variable());
                self.guarded(p, &format!("{x} ^= AT({p}).{field};"));
            }
            11 => self.links(),
            12 | 13 => self.pointers_to_pointers(),
            14 | 15 => {
                let (i, j) = (self.index(self.nodes), self.index(self.nodes));
                self.line(&format!("i = {i};"));
                self.line(&format!("j = {j};"));
                self.line(&format!("t = EL(n, i, {});", self.nodes));
                self.line(&format!("q = EL(n, j, {});", self.nodes));
                self.line("n[i] = q;");
                self.line("n[j] = t;");
            }
            16..19 => self.rows(),
            19 | 20 => {
                let p = self.node_or_p();
                self.guarded(p, &format!("AT({p}).next = head;"));
                self.line(&format!("head = {p};"));
                if self.random.chance(50) {
                    let key = self.byte(1);
                    self.line(&format!("q = find(head, {key});"));
                }
            }
            21 => {
                let (list, value) = (self.random.pick(&["head", "n[0]", "p"]), self.pointer());
                self.line(&format!("t = {value};"));
                self.line(&format!("pp = end_of(&{list});"));
                self.line("AT(pp) = t;");
            }
            22 | 23 => {
                let key = self.byte(1);
                self.line(&format!("pp = leaf(&root, {key});"));
                self.line("t = AT(pp);");
                self.line("if (!t)");
                let value = self.byte(1);
                self.line(&format!("  t = new_node({key}, {value});"));
                self.line("AT(pp) = t;");
            }
            24 | 25 => self.tables(),
            26 => self.frees(),
            27 => {
                let pointer = self.pointer();
                self.line(&format!("t = {pointer};"));
                if self.random.chance(self.careless) {
                    self.line("COPY(p, t);");
                } else {
                    self.line("if (p && t)");
                    self.line("  COPY(p, t);");
                }
            }
            28 => self.unions(),
            29 | 30 if nesting > 0 => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{"));
                let statements = self.random.between(1, 3);
                self.block(statements, nesting);
                if self.random.chance(40) {
                    self.line("} else {");
                    self.block(1, nesting);
                }
                self.line("}");
            }
            31 if nesting > 0 => {
                let end = self.index(4);
                let k = format!("k{nesting}");
                self.line(&format!("for (uint8_t {k} = 0; {k} < {end}; {k}++) {{"));
                self.block(1, nesting);
                self.line("}");
            }
            _ => {
                let pointer = self.pointer();
                let at = self.index(self.nodes);
                self.line(&format!("t = {pointer};"));
                self.line(&format!("EL(n, {at}, {}) = t;", self.nodes));
            }
        }
    }

    fn node_or_p(&mut self) -> &'static str {
        if self.random.chance(60) {
            "p"
        } else {
            let node = self.node();
            // `t` is declared without a value.
            if node == "t" { "q" } else { node }
        }
    }

    fn links(&mut self) {
        let link = self.random.pick(&["next", "other"]);
        let to = self.random.pick(&["q", "head", "root", "NULL"]);
        self.guarded("p", &format!("AT(p).{link} = {to};"));
        if self.random.chance(50) {
            self.guarded("q", &format!("p = AT(q).{link};"));
        }
    }

    fn pointers_to_pointers(&mut self) {
        let bucket = self.random.below(self.buckets);
        match self.random.below(5) {
            0 => {
                let condition = self.condition();
                // The index is never out of bounds, because taking the address is not yet an
                // access.
                let (byte, nodes) = (self.byte(1), self.nodes);
                self.line(&format!(
                    "pp = {condition} ? &p : &n[(uint8_t)({byte}) % {nodes}];"
                ));
            }
            1 => self.guarded("q", "pp = &q->next;"),
            2 => {
                let condition = self.condition();
                self.line(&format!("pp = {condition} ? &head : &buckets[{bucket}];"));
            }
            3 => {
                self.guarded("p", "AT(p).link = pp;");
                self.line("if (q)");
                self.line("  pp = AT(q).link;");
                self.line("if (!pp)");
                self.line("  pp = &q;");
            }
            _ => self.line(&format!("pp = &buckets[{bucket}];")),
        }
        if self.random.chance(60) {
            let value = self.random.pick(&["p", "q", "head", "NULL", "n[1]"]);
            self.line(&format!("AT(pp) = {value};"));
        } else {
            self.line("q = AT(pp);");
        }
    }

    fn rows(&mut self) {
        let (rows, length) = (self.rows, self.row_length);
        match self.random.below(8) {
            0 => {
                let (a, b) = (self.index(rows), self.index(rows));
                self.line(&format!("i = {a};"));
                self.line(&format!("j = {b};"));
                self.line(&format!("row = EL(rows, i, {rows});"));
                self.line(&format!("other_row = EL(rows, j, {rows});"));
                self.line("rows[i] = other_row;");
                self.line("rows[j] = row;");
            }
            1 => {
                let (size, byte, at) = (self.index(length), self.byte(1), self.index(rows));
                let size = format!("1 + {size}");
                self.line(&format!("x2 = {size};"));
                self.line("row = get(x2);");
                self.line(&format!("FILL(row, {byte}, x2);"));
                if self.random.chance(30 * self.careless) {
                    self.line(&format!("EL(rows, {at}, {rows}) = row;"));
                }
                self.line(&format!("x1 ^= AT(row + (uint8_t)({byte}) % x2);"));
            }
            2 => {
                let (to, from, n) = (self.index(rows), self.index(rows), self.index(length + 1));
                self.line(&format!("row = EL(rows, {to}, {rows});"));
                self.line(&format!("other_row = EL(rows, {from}, {rows});"));
                self.line(&format!("MOVE(row, other_row, {n});"));
            }
            3..6 => {
                let (at, column, value) = (self.index(rows), self.index(length), self.byte(2));
                self.line(&format!("row = EL(rows, {at}, {rows});"));
                self.line(&format!("AT(row + {column}) = {value};"));
            }
            _ => {
                let (at, column, x) = (self.index(rows), self.index(length), self.variable());
                self.line(&format!("row = EL(rows, {at}, {rows});"));
                self.line(&format!("{x} += AT(row + {column});"));
            }
        }
    }

    fn tables(&mut self) {
        let (mask, key) = (self.buckets - 1, self.byte(1));
        let at = format!("({key}) & {mask}");
        if self.random.chance(60) {
            let value = self.byte(1);
            self.line(&format!("t = new_node({key}, {value});"));
            self.line(&format!("pp = &buckets[{at}];"));
            self.line("q = AT(pp);");
            self.line("AT(t).next = q;");
            self.line("AT(pp) = t;");
        } else {
            self.line(&format!("q = buckets[{at}];"));
            self.line(&format!("p = find(q, {key});"));
        }
    }

    fn frees(&mut self) {
        let condition = self.condition();
        let at = self.index(self.nodes);
        self.line(&format!("i = {at};"));
        self.line(&format!("t = EL(n, i, {});", self.nodes));
        // Elements of the array cannot be freed separately.
        let inside = if self.random.chance(self.careless) {
            String::new()
        } else {
            (0..self.array)
                .map(|k| format!(" && t != array + {k}"))
                .collect()
        };
        self.line(&format!("if ({condition}{inside}) {{"));
        self.line("  FREE(t);");
        if !self.random.chance(self.careless) {
            for k in 0..self.nodes {
                self.line(&format!("  if (n[{k}] == t)"));
                self.line(&format!("    n[{k}] = NULL;"));
            }
            for other in ["p", "q", "head", "root"] {
                self.line(&format!("  if ({other} == t)"));
                self.line(&format!("    {other} = NULL;"));
            }
        }
        self.line("}");
        // It must not be used again.
        self.line("t = NULL;");
    }

    fn unions(&mut self) {
        match self.random.below(3) {
            0 => {
                let field = self.random.pick(&["node = q", "bytes = row"]);
                self.guarded("p", &format!("AT(p).v.{field};"));
                self.guarded("p", "other_row = AT(p).v.bytes;");
                self.line("if (p && other_row) {");
                let (at, byte) = (self.random.below(2), self.byte(1));
                if self.random.chance(50) {
                    self.line(&format!("  AT(other_row + {at}) = {byte};"));
                } else {
                    self.line(&format!("  x0 += AT(other_row + {at});"));
                }
                self.line("}");
            }
            1 => {
                let at = self.random.below(self.row_length);
                let x = self.variable();
                self.line("if (q) {");
                self.line("  row = (uint8_t *)q;");
                self.line(&format!("  {x} ^= AT(row + {at});"));
                self.line("}");
            }
            _ => {
                let (p, at, byte) = (self.node_or_p(), self.small_index(4), self.byte(1));
                self.guarded(p, &format!("AT({p}).u.byte[{at}] = {byte};"));
                let x = self.variable();
                self.guarded(p, &format!("{x} += (uint8_t)AT({p}).u.word;"));
            }
        }
    }
}
