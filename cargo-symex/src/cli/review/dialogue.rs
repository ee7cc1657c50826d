//! The dialogue of a review: what is asked, and what the keys mean.

use crate::pipeline::error::CommandError;
use std::io;
use std::path::{Path, PathBuf};

/// What was decided on a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Accept,
    /// It is ignored, for this reason.
    Ignore(String),
}

/// A finding that is asked about.
pub(super) struct Question {
    pub id: String,
    /// All that is said of the finding.
    pub text: String,
    /// Its file, line and column, if it has a place.
    pub place: Option<(PathBuf, u32, u32)>,
}

/// Somebody who answers.
pub(super) trait Person {
    /// Shows a text.
    fn tell(&mut self, text: &str);
    /// Shows a text, and waits for a key.
    fn key(&mut self, prompt: &str) -> io::Result<char>;
    /// Shows a text, and waits for a line.
    fn line(&mut self, prompt: &str) -> io::Result<String>;
    /// Opens a place in the person's editor. Fails with the reason.
    fn open(&mut self, file: &Path, line: u32, column: u32) -> Result<(), String>;
}

const PROMPT: &str = "[a]ccept  [i]gnore  [o]pen  [s]kip  [q]uit  [?] ";

const HELP: &str = "\
a  accept: it is a bug; its regression test stays, and it is not asked about again
i  ignore: it does not count from now on; asks for the reason, and removes the regression test
o  open: shows the place in the editor of VISUAL or EDITOR
s  skip: decide later
q  quit: decide on this and all others later";

/// Asks about findings one after the other; `decide` does what was decided on the one of a number,
/// and returns what was done. Returns how many were left.
pub(super) fn ask(
    person: &mut dyn Person,
    questions: &[Question],
    decide: &mut dyn FnMut(usize, &Decision) -> Result<String, CommandError>,
) -> Result<usize, CommandError> {
    let mut left = questions.len();
    for (number, question) in questions.iter().enumerate() {
        let head = format!(
            "finding {} of {} ({})",
            number + 1,
            questions.len(),
            question.id
        );
        person.tell(&format!("\n{head}\n\n{}\n", question.text));
        match answer(person, question).map_err(unasked)? {
            Answer::Decided(decision) => {
                let told = decide(number, &decision)?;
                person.tell(&told);
                left -= 1;
            }
            Answer::Later => {}
            Answer::Quit => break,
        }
    }
    Ok(left)
}

enum Answer {
    Decided(Decision),
    Later,
    Quit,
}

/// Asks until there is an answer.
fn answer(person: &mut dyn Person, question: &Question) -> io::Result<Answer> {
    loop {
        match person.key(PROMPT)? {
            'a' => return Ok(Answer::Decided(Decision::Accept)),
            'i' => {
                let reason = person.line("reason: ")?;
                match reason.trim() {
                    "" => person.tell("not ignored: that takes a reason"),
                    reason => return Ok(Answer::Decided(Decision::Ignore(reason.to_owned()))),
                }
            }
            'o' => match &question.place {
                Some((file, line, column)) => {
                    if let Err(reason) = person.open(file, *line, *column) {
                        person.tell(&reason);
                    }
                }
                None => person.tell("it has no place in a source"),
            },
            's' => return Ok(Answer::Later),
            'q' => return Ok(Answer::Quit),
            _ => person.tell(HELP),
        }
    }
}

fn unasked(error: io::Error) -> CommandError {
    CommandError::usage(format!("failed to ask: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Somebody who presses these keys, and gives these reasons.
    #[derive(Default)]
    struct Script {
        keys: VecDeque<char>,
        lines: VecDeque<&'static str>,
        told: String,
        opened: Vec<(PathBuf, u32)>,
    }

    impl Person for Script {
        fn tell(&mut self, text: &str) {
            self.told.push_str(text);
        }

        fn key(&mut self, _: &str) -> io::Result<char> {
            let key = self.keys.pop_front();
            key.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }

        fn line(&mut self, _: &str) -> io::Result<String> {
            Ok(self.lines.pop_front().unwrap_or_default().to_owned())
        }

        fn open(&mut self, file: &Path, line: u32, _: u32) -> Result<(), String> {
            self.opened.push((file.to_owned(), line));
            Err("no editor".to_owned())
        }
    }

    type Decided = Vec<(usize, Decision)>;

    fn asked(keys: &str, lines: &[&'static str]) -> (Result<usize, CommandError>, Decided, Script) {
        let question = |id: &str| Question {
            id: id.to_owned(),
            text: format!("the text of {id}"),
            place: (id == "first").then(|| ("src/lib.rs".into(), 3, 5)),
        };
        let questions = ["first", "second", "third"].map(question);
        let mut script = Script {
            keys: keys.chars().collect(),
            lines: lines.iter().copied().collect(),
            ..Script::default()
        };
        let mut decided = Vec::new();
        let mut decide = |number: usize, decision: &Decision| {
            decided.push((number, decision.clone()));
            Ok("done".to_owned())
        };
        let left = ask(&mut script, &questions, &mut decide);
        (left, decided, script)
    }

    #[test]
    fn each_finding_is_accepted_ignored_or_skipped() {
        let (left, decided, script) = asked("ais", &[" known "]);
        assert_eq!(left.unwrap(), 1);
        let ignored = Decision::Ignore("known".to_owned());
        assert_eq!(decided, [(0, Decision::Accept), (1, ignored)]);
        for text in ["finding 1 of 3 (first)", "the text of third", "done"] {
            assert!(script.told.contains(text), "{}", script.told);
        }
    }

    #[test]
    fn an_empty_reason_ignores_nothing_and_other_keys_explain() {
        let (left, decided, script) = asked("iox?q", &[" "]);
        assert_eq!((left.unwrap(), decided.len()), (3, 0));
        assert_eq!(script.opened, [("src/lib.rs".into(), 3)]);
        for text in ["not ignored", "no editor", "a  accept: "] {
            assert!(script.told.contains(text), "{}", script.told);
        }
        assert!(!script.told.contains("finding 2 of 3"), "{}", script.told);
        let (_, _, script) = asked("soq", &[]);
        assert!(script.told.contains("no place in a source"));
    }

    #[test]
    fn an_end_of_the_input_is_an_error_after_what_was_decided() {
        let (left, decided, _) = asked("a", &[]);
        assert!(left.is_err());
        assert_eq!(decided, [(0, Decision::Accept)]);
    }
}
