//! Builds Lua as `mlua` does; the other libraries come with crates that declare what they have.

fn main() {
    lua_src::Build::new()
        .build(lua_src::Lua54)
        .print_cargo_metadata();
}
