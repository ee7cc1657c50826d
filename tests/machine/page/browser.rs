//! A headless Chromium that is told what to do by its protocol for developer tools, over two named
//! pipes.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Returns the name of the browser's program, if there is one.
pub(super) fn program() -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let is_there = |name: &&str| {
        let mut version = Command::new(name);
        let version = version.arg("--version").stderr(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    };
    names.into_iter().find(is_there).map(str::to_owned)
}

/// A browser with one page.
pub(super) struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    session: String,
    last: u64,
    /// Errors of scripts and of policies since the start.
    complaints: Vec<String>,
    _folder: TempDir,
}

impl Browser {
    /// Starts the browser.
    pub(super) fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (to, from) = (folder.path().join("to"), folder.path().join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        assert!(made.expect("mkfifo").success());
        // It reads its orders from descriptor 3, and answers on 4.
        let process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$TO\" 4>\"$FROM\""])
            .arg(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.path().join("profile").display()
            ))
            .arg("about:blank")
            .env("TO", &to)
            .env("FROM", &from)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a browser");
        let mut browser = Browser {
            process,
            to: File::options().write(true).open(to).expect("a pipe"),
            from: BufReader::new(File::open(from).expect("a pipe")),
            session: String::new(),
            last: 0,
            complaints: Vec::new(),
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.window(1200, 800, false);
        browser
    }

    /// Calls a method of the protocol, and returns its result.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut order = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_empty() {
            order["sessionId"] = self.session.clone().into();
        }
        let mut text = order.to_string().into_bytes();
        text.push(0);
        self.to.write_all(&text).expect("the browser runs");
        loop {
            let told = self.read();
            if told["id"] == self.last {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
        }
    }

    fn read(&mut self) -> Value {
        let mut text = Vec::new();
        self.from
            .read_until(0, &mut text)
            .expect("the browser runs");
        assert_eq!(text.pop(), Some(0), "the browser has ended");
        let told: Value = serde_json::from_slice(&text).expect("JSON");
        match told["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints
                    .push(told["params"]["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") if told["params"]["entry"]["level"] == "error" => {
                self.complaints
                    .push(told["params"]["entry"]["text"].to_string());
            }
            _ => {}
        }
        told
    }

    /// Opens a part of a page, and waits until it is there.
    pub(super) fn open(&mut self, file: &Path, part: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}#{part}", file.display());
        self.call("Page.navigate", json!({ "url": url }));
        while self.eval("document.readyState") != "complete" {}
    }

    /// Returns the value of an expression.
    pub(super) fn eval(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "returnByValue": true });
        let result = self.call("Runtime.evaluate", params);
        let failed = &result["exceptionDetails"];
        assert!(failed.is_null(), "{script}: {failed}");
        result["result"]["value"].clone()
    }

    /// Presses the keys of a text.
    pub(super) fn keys(&mut self, text: &str) {
        for char in text.chars() {
            let params = json!({ "type": "keyDown", "text": char, "key": char });
            self.call("Input.dispatchKeyEvent", params);
            let params = json!({ "type": "keyUp", "key": char });
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Presses a key by its name.
    pub(super) fn key(&mut self, name: &str) {
        let mut down = json!({ "type": "rawKeyDown", "key": name, "code": name });
        if name == "Enter" {
            down = json!({ "type": "keyDown", "key": name, "code": name, "text": "\r", "windowsVirtualKeyCode": 13 });
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": name, "code": name }),
        );
    }

    /// Clicks on the first element that a selector names.
    pub(super) fn click(&mut self, selector: &str) {
        let middle = format!(
            "(() => {{ const it = document.querySelector({selector:?}); it.scrollIntoView({{ block: 'center' }}); \
             const at = it.getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2]; }})()"
        );
        let at = self.eval(&middle);
        for event in ["mousePressed", "mouseReleased"] {
            let params =
                json!({ "type": event, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Sets the size of the window in pixels, and whether what is shown is to be dark.
    pub(super) fn window(&mut self, width: u32, height: u32, dark: bool) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Returns the errors of scripts and of policies since the start.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.eval("0");
        std::mem::take(&mut self.complaints)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
