//! What all tables look like: a caption, then lines of Markdown that appear as they are measured.

/// What stands above a table.
pub struct Caption {
    /// The paper and its table or figure, and what is measured.
    pub title: String,
    /// What differs from row to row and column to column, and what a cell says.
    pub varies: String,
    /// What the paper found. Nothing for tables that no paper has.
    pub paper: &'static str,
}

impl Caption {
    /// Prints it.
    pub fn print(&self) {
        println!("\n### {}\n", self.title);
        println!("{}", self.varies);
        if !self.paper.is_empty() {
            println!("In the paper: {}", self.paper);
        }
        println!();
    }
}

/// A table that has been begun.
pub struct Table {
    columns: usize,
}

impl Table {
    /// Prints the names of the columns.
    pub fn begin(columns: &[&str]) -> Table {
        println!("| {} |", columns.join(" | "));
        println!("|{}", "---|".repeat(columns.len()));
        Table {
            columns: columns.len(),
        }
    }

    /// Prints a row.
    pub fn row(&self, cells: &[String]) {
        debug_assert_eq!(cells.len(), self.columns);
        println!("| {} |", cells.join(" | "));
    }
}

/// Bytes as people read them.
pub fn bytes(n: u64) -> String {
    match n {
        0..=8191 => format!("{n} B"),
        8192..=8_388_607 => format!("{} KiB", n / 1024),
        _ => format!("{} MiB", n >> 20),
    }
}
