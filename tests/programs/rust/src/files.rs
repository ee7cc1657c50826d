//! Files: each path has a world of its own, with an empty working directory.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

// expect: pass-bounded
#[symex::harness]
fn what_was_written_is_read(x: [u8; 3]) {
    fs::write("a.txt", x).unwrap();
    assert_eq!(fs::read("a.txt").unwrap(), x);
    assert_eq!(fs::metadata("a.txt").unwrap().len(), 3);
    assert!(fs::metadata("a.txt").unwrap().is_file());
    fs::remove_file("a.txt").unwrap();
    assert!(!Path::new("a.txt").exists());
}

// expect: pass-bounded
#[symex::harness]
fn directories_are_made_and_removed(x: u8) {
    fs::create_dir_all("d/e/f").unwrap();
    fs::write("d/e/f/g", [x]).unwrap();
    fs::write("d/h", [x, x]).unwrap();
    let mut names: Vec<_> = fs::read_dir("d")
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["e", "h"]);
    fs::remove_dir_all("d").unwrap();
    assert!(!Path::new("d").exists());
}

// expect: pass-bounded
#[symex::harness]
fn files_are_copied_and_renamed(x: [u8; 4]) {
    fs::write("from", x).unwrap();
    assert_eq!(fs::copy("from", "to").unwrap(), 4);
    assert_eq!(fs::read("to").unwrap(), x);
    fs::rename("to", "there").unwrap();
    assert!(fs::read("to").is_err());
    assert_eq!(fs::read("there").unwrap(), x);
}

// expect: pass-bounded
#[symex::harness]
fn files_are_opened_in_all_ways(x: u8) {
    let mut f = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open("o")
        .unwrap();
    f.write_all(&[1, 2, x]).unwrap();
    f.seek(SeekFrom::Start(1)).unwrap();
    let mut b = [0; 2];
    f.read_exact(&mut b).unwrap();
    assert_eq!(b, [2, x]);
    f.set_len(1).unwrap();
    f.sync_all().unwrap();
    assert_eq!(f.metadata().unwrap().len(), 1);
    let mut a = OpenOptions::new().append(true).open("o").unwrap();
    a.write_all(&[9]).unwrap();
    assert_eq!(fs::read("o").unwrap(), [1, 9]);
    assert!(
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open("o")
            .is_err()
    );
    let g = f.try_clone().unwrap();
    drop(f);
    assert_eq!(g.metadata().unwrap().len(), 2);
}

// expect: pass-bounded
#[symex::harness]
fn lines_are_written_and_read(x: u8) {
    let mut w = BufWriter::new(File::create("b").unwrap());
    writeln!(w, "line {x}").unwrap();
    writeln!(w, "two").unwrap();
    w.flush().unwrap();
    drop(w);
    let lines: Vec<String> = BufReader::new(File::open("b").unwrap())
        .lines()
        .map(|l| l.unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1], "two");
}

// expect: pass-bounded
#[symex::harness]
fn links_lead_to_files(x: u8) {
    fs::write("l", [x]).unwrap();
    std::os::unix::fs::symlink("l", "s").unwrap();
    fs::hard_link("l", "h").unwrap();
    assert_eq!(fs::read("s").unwrap(), [x]);
    assert_eq!(fs::read("h").unwrap(), [x]);
    assert_eq!(fs::read_link("s").unwrap(), Path::new("l"));
    assert!(fs::symlink_metadata("s").unwrap().file_type().is_symlink());
    let c = fs::canonicalize("s").unwrap();
    assert!(c.ends_with("l") && c.is_absolute());
    let mut p = fs::metadata("l").unwrap().permissions();
    p.set_readonly(true);
    fs::set_permissions("l", p).unwrap();
    assert!(fs::metadata("l").unwrap().permissions().readonly());
}

// expect: pass-bounded
#[symex::harness]
fn the_working_directory_changes(_x: bool) {
    let here = std::env::current_dir().unwrap();
    fs::create_dir("sub").unwrap();
    std::env::set_current_dir("sub").unwrap();
    assert_eq!(std::env::current_dir().unwrap(), here.join("sub"));
    assert!(File::open("/etc/shadow-none").is_err());
    assert!(fs::write("/nowhere/x", []).is_err());
}

// expect: pass-bounded
#[symex::harness]
fn a_working_directory_that_is_removed_has_no_name(_x: bool) {
    fs::create_dir("sub").unwrap();
    std::env::set_current_dir("sub").unwrap();
    fs::remove_dir("../sub").unwrap();
    let name = std::env::current_dir();
    assert_eq!(name.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert!(fs::write("new", []).is_err());
    assert!(fs::write("../new", []).is_ok());
}

// expect: pass-bounded
#[symex::harness]
fn a_file_is_renamed_if_it_replaces_none(x: u8) {
    unsafe extern "C" {
        fn renameat2(from: i32, old: *const i8, to: i32, new: *const i8, flags: u32) -> i32;
    }
    const HERE: i32 = -100;
    const NO_REPLACE: u32 = 1;
    let rename = |old: &std::ffi::CStr, new: &std::ffi::CStr| unsafe {
        renameat2(HERE, old.as_ptr(), HERE, new.as_ptr(), NO_REPLACE)
    };
    fs::write("one", [x]).unwrap();
    fs::write("two", [1, 2]).unwrap();
    assert_eq!(rename(c"one", c"two"), -1);
    let why = std::io::Error::last_os_error();
    assert_eq!(why.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(rename(c"one", c"three"), 0);
    assert_eq!(fs::read("three").unwrap(), [x]);
    assert_eq!(fs::read("two").unwrap(), [1, 2]);
}

// expect: pass-bounded
#[symex::harness]
fn a_name_may_depend_on_inputs(#[symex(range = 97..=99)] x: u8) {
    let n = String::from_utf8(vec![x]).unwrap();
    fs::write("a", [1]).unwrap();
    let got = fs::read(&n);
    assert_eq!(got.is_ok(), x == b'a');
}

// expect: bug panic
#[symex::harness]
fn a_file_has_a_wrong_byte(x: [u8; 2]) {
    fs::write("bytes", x).unwrap();
    let mut file = File::open("bytes").unwrap();
    file.seek(SeekFrom::End(-1)).unwrap();
    let mut byte = [0];
    file.read_exact(&mut byte).unwrap();
    assert_ne!(byte[0], 77);
}

// expect: bug panic
#[symex::harness]
fn a_file_that_nobody_made(name: bool) {
    fs::write("made", []).unwrap();
    File::open(if name { "made" } else { "missing" }).unwrap();
}
