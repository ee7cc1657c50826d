//! A chunk of 4 characters, compiled and run, in a state without libraries.

use std::ffi::{CStr, c_char, c_int, c_void};

#[repr(C)]
struct State {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn luaL_newstate() -> *mut State;
    fn luaL_loadbufferx(
        state: *mut State,
        text: *const c_char,
        size: usize,
        name: *const c_char,
        mode: *const c_char,
    ) -> c_int;
    fn lua_pcallk(
        state: *mut State,
        arguments: c_int,
        results: c_int,
        handler: c_int,
        context: isize,
        then: *const c_void,
    ) -> c_int;
    fn lua_tolstring(state: *mut State, index: c_int, size: *mut usize) -> *const c_char;
    fn lua_close(state: *mut State);
}

#[symex::harness(max_paths = 4000)]
fn runs(chunk: [u8; 4]) {
    // SAFETY: names end with their zeros, the state is used while it is open, and strings while
    // they are on its stack.
    unsafe {
        let state = luaL_newstate();
        assert!(!state.is_null());
        let mut status = luaL_loadbufferx(
            state,
            chunk.as_ptr().cast(),
            chunk.len(),
            c"chunk".as_ptr(),
            c"t".as_ptr(),
        );
        print!("{status} ");
        if status == 0 {
            status = lua_pcallk(state, 0, 1, 0, 0, std::ptr::null());
            print!("{status} ");
        }
        let text = lua_tolstring(state, -1, std::ptr::null_mut());
        if text.is_null() {
            println!("no text");
        } else {
            println!("{}", CStr::from_ptr(text).to_string_lossy());
        }
        lua_close(state);
    }
}
