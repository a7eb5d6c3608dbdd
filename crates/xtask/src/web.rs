//! The page: built from `web/` into `crates/server/page`, which is committed so that
//! nobody needs Node to serve it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, said, step};

const SOURCES: &str = "web";
const BUILT: &str = "crates/server/page";
/// The hash of the sources that the built page was made from.
const HASH: &str = "crates/server/page.sources";
/// What the hash leaves out: things that are made, not written.
const MADE: &[&str] = &["node_modules", "test-results"];
/// What the tools ask for.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// `cargo xtask web`: writes the types and test games anew and builds the page.
pub fn build() -> Result<(), String> {
    if !node_is_there() {
        let (major, minor) = OLDEST_NODE;
        return Err(format!("building the page needs Node {major}.{minor} or later, and npm"));
    }
    let write = [("SOLITREE_WRITE", "1")];
    cargo(
        "types and games of the page",
        &["test", "--package", "solitree-server", "--lib", "--quiet", "current"],
        &write,
    )?;
    install_packages()?;
    npm("building the page", &["run", "build"], &[])?;
    fs::write(HASH, format!("{}\n", hash_of_sources()?)).map_err(said)
}

/// Everything that must hold of the page. Without Node only that the built page is
/// of these sources; without a browser, not how it behaves in one.
pub fn test() -> Result<(), String> {
    let recorded = fs::read_to_string(HASH).map_err(said)?;
    if recorded.trim() != hash_of_sources()? {
        return Err(format!("{BUILT} is not of these sources: run `cargo xtask web`"));
    }
    if !node_is_there() {
        install_debian(&["nodejs", "npm"]);
    }
    if !node_is_there() {
        eprintln!("xtask: no Node that can build the page: it is checked by its hash alone");
        return Ok(());
    }
    install_packages()?;
    npm("types of the page", &["run", "check"], &[])?;
    npm("tests of the page", &["test"], &[])?;
    let fresh = PathBuf::from("target/page");
    let out = std::path::absolute(&fresh).map_err(said)?;
    npm("building the page", &["run", "build", "--", "--outDir", &out.to_string_lossy()], &[])?;
    if contents(&fresh)? != contents(Path::new(BUILT))? {
        return Err(format!("{BUILT} is not what the sources build: run `cargo xtask web`"));
    }
    if !browser_is_there() {
        install_debian(&["chromium"]);
    }
    if !browser_is_there() {
        eprintln!("xtask: no Chromium: the page is not tried in a browser");
        return Ok(());
    }
    // As the tests have built it: nothing is left to do unless they were skipped.
    cargo("the program for the browser", &["test", "--workspace", "--no-run", "--quiet"], &[])?;
    let program = std::env::current_exe().map_err(said)?;
    let program = program.with_file_name(format!("solitree{}", std::env::consts::EXE_SUFFIX));
    let program = program.to_string_lossy();
    npm("the page in a browser", &["run", "e2e"], &[("SOLITREE_BINARY", &program)])
}

/// The packages of the lock file, if they are not there yet.
fn install_packages() -> Result<(), String> {
    let stamp = Path::new("web/node_modules/.package-lock.json");
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified());
    let lock = changed(Path::new("web/package-lock.json")).map_err(said)?;
    if changed(stamp).is_ok_and(|installed| installed >= lock) {
        return Ok(());
    }
    // Not `npm ci`: it wants packages of other machines in the lock file, which npm does
    // not write there.
    let install = ["install", "--no-save", "--no-audit", "--no-fund"];
    npm("packages of the page", &install, &[])
}

fn npm(what: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(arguments).envs(environment.iter().copied()).current_dir(SOURCES);
    step(what, &mut command)
}

/// Asks Debian for packages. What is still missing then is noticed by who needs it.
fn install_debian(packages: &[&str]) {
    // A fresh machine does not know yet what there is.
    let mut update = Command::new("apt-get");
    update.args(["update", "--quiet"]);
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    let what = format!("installing {}", packages.join(", "));
    for (what, mut command) in [("lists of packages", update), (&what, install)] {
        if let Err(failed) = step(what, &mut command) {
            eprintln!("xtask: {failed}");
        }
    }
}

/// Whether the tests in a browser will find one: `CHROMIUM` names it, or it is where
/// Debian puts it.
fn browser_is_there() -> bool {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium")).exists()
}

fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Whether there is a Node that is new enough, and npm.
fn node_is_there() -> bool {
    let output = Command::new("node").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let mut numbers = text.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    (major, minor) >= OLDEST_NODE && is_there("npm", &["--version"])
}

/// Every file under a folder by its path, in order, but what is made.
fn contents(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))? {
            let path = entry.map_err(said)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if !MADE.contains(&name.as_str()) {
                    folders.push(path);
                }
                continue;
            }
            let short = path.strip_prefix(folder).map_err(|error| error.to_string())?;
            let bytes = fs::read(&path).map_err(said)?;
            files.push((short.to_string_lossy().replace('\\', "/"), bytes));
        }
    }
    files.sort();
    Ok(files)
}

/// FNV-1a over the names and contents of the sources.
fn hash_of_sources() -> Result<String, String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (name, bytes) in contents(Path::new(SOURCES))? {
        // Tests do not change what is built.
        if name.starts_with("tests/") || name.starts_with("e2e/") {
            continue;
        }
        for byte in name.bytes().chain([0]).chain(bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}
