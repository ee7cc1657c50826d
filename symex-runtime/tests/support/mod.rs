//! A crate of a user's, written to a temporary directory and built by cargo as users build theirs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A generated crate.
pub struct Fixture {
    directory: TempDir,
}

/// What a process printed, and how it ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub text: String,
}

impl Fixture {
    /// A library crate with the given source.
    pub fn new(name: &str, edition: &str, source: &str) -> Self {
        let fixture = Fixture {
            directory: tempfile::tempdir().unwrap(),
        };
        let runtime = env!("CARGO_MANIFEST_DIR");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n[workspace]\n\
             [dependencies]\nsymex-runtime = {{ path = {runtime:?} }}\n"
        );
        fixture.write("Cargo.toml", &manifest);
        fixture.write("src/lib.rs", source);
        // The versions of the workspace, which are known to be at hand.
        std::fs::copy(
            Path::new(runtime).join("../Cargo.lock"),
            fixture.path("Cargo.lock"),
        )
        .unwrap();
        fixture
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn cargo(&self) -> Command {
        let mut command = Command::new(env!("CARGO"));
        // One target directory for all, so that the dependencies are built once; names of fixtures differ.
        command
            .current_dir(self.directory.path())
            .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"));
        command.args(["test", "--quiet", "--offline", "--tests", "--color=never"]);
        for name in [
            "SYMEX_REPLAY",
            "SYMEX_INPUTS_OUT",
            "SYMEX_RANDOM",
            "SYMEX_SEED",
            "RUSTFLAGS",
            "RUST_BACKTRACE",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// `cargo test -- ARGS` with these variables.
    pub fn test(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let output = self
            .cargo()
            .arg("--")
            .args(arguments)
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        ended(&output)
    }

    /// Runs one harness on recorded inputs; the values it wrote, if any.
    pub fn replay(&self, test: &str, inputs: &str) -> (Ended, Option<Value>) {
        self.write("inputs", inputs);
        let (inputs, out) = (self.path("inputs"), self.path("out.json"));
        let _ = std::fs::remove_file(&out);
        let variables = [
            ("SYMEX_REPLAY", inputs.to_str().unwrap()),
            ("SYMEX_INPUTS_OUT", out.to_str().unwrap()),
        ];
        let ended = self.test(
            &["--exact", test, "--nocapture", "--test-threads=1"],
            &variables,
        );
        let values = std::fs::read_to_string(&out)
            .ok()
            .map(|text| serde_json::from_str(&text).unwrap());
        (ended, values)
    }

    /// Writes a regression test and marks the source as changed, as the tool does.
    pub fn add_regression(&self, file: &str, text: &str, source: &str) {
        self.write(&format!("symex-regressions/{file}"), text);
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
        std::fs::File::options()
            .append(true)
            .open(self.path(source))
            .unwrap()
            .set_modified(later)
            .unwrap();
    }
}

fn ended(output: &Output) -> Ended {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ended {
        code: output.status.code(),
        text,
    }
}
