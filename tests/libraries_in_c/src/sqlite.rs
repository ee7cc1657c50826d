//! A statement of 3 characters, prepared in a database in memory.

use libsqlite3_sys::*;
use std::ffi::CStr;
use std::ptr::null_mut;

#[symex::harness]
fn prepares(text: [u8; 3]) {
    let mut database = null_mut();
    let mut statement = null_mut();
    // SAFETY: names end with their zeros, and each handle is used while it is open.
    unsafe {
        let status = sqlite3_open(c":memory:".as_ptr(), &mut database);
        assert_eq!(status, SQLITE_OK);
        let status = sqlite3_prepare_v2(
            database,
            text.as_ptr().cast(),
            3,
            &mut statement,
            null_mut(),
        );
        println!("{status} {}", statement.is_null());
        println!(
            "{}",
            CStr::from_ptr(sqlite3_errmsg(database)).to_string_lossy()
        );
        sqlite3_finalize(statement);
        sqlite3_close(database);
    }
}
