//! Tells the program which commit it was built from.

use std::process::Command;

fn main() {
    let git = |args: &[&str]| {
        let output =
            Command::new("git").args(args).output().ok().filter(|out| out.status.success())?;
        String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=SOLITREE_COMMIT={commit}");
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
