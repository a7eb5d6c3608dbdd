//! The page is inside the program: a new one means a new program.

fn main() {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=build.rs");
}
