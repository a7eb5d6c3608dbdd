//! `cargo xtask test`: everything that must hold before a change lands.

#![expect(clippy::print_stderr, reason = "a build tool talks to its user")]

mod web;

use std::process::{Command, ExitCode};
use std::time::Instant;

/// The signature of `solitree bench`. A change that moves it says so in its
/// commit and in the changelog.
const SIGNATURE: &str = include_str!("../../../data/bench-signature.txt");

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test       format, lints, tests, documentation, the bench signature and the page
  web        build the page anew, from web/ into crates/server/page (needs Node)
  bless      record the present bench signature
  reproduce  run the papers' experiments at the quick scale and record what they say";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let done = match command.as_str() {
        "test" => test(),
        "web" => web::build(),
        "bless" => bless(),
        "reproduce" => reproduce(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            eprintln!("xtask: {failed}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<(), String> {
    cargo("format", &["fmt", "--all", "--check"], &[])?;
    let lints = ["--all-targets", "--features", "solitree/cuda", "--", "-D", "warnings"];
    cargo("lints", &[&["clippy", "--workspace"], &lints[..]].concat(), &[])?;
    install_nextest()?;
    cargo("tests", &["nextest", "run", "--workspace"], &[])?;
    cargo("documentation tests", &["test", "--workspace", "--doc", "--quiet"], &[])?;
    let strict = [("RUSTDOCFLAGS", "-D warnings")];
    cargo(
        "documentation",
        &["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"],
        &strict,
    )?;
    let expect = [
        "run",
        "--release",
        "--quiet",
        "--",
        "bench",
        "--time",
        "0s",
        "--expect",
        SIGNATURE.trim(),
    ];
    cargo("bench signature", &expect, &[])?;
    web::test()?;
    eprintln!("xtask: everything holds");
    Ok(())
}

/// Writes down the signature of this build.
fn bless() -> Result<(), String> {
    let arguments = ["run", "--release", "--quiet", "--", "bench", "--time", "0s", "--json"];
    let output =
        Command::new(env!("CARGO")).args(arguments).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let signature = text.split("\"signature\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let signature = signature.ok_or("bench printed no signature")?;
    std::fs::write("data/bench-signature.txt", format!("{signature}\n"))
        .map_err(|error| error.to_string())?;
    eprintln!("xtask: the signature is now {signature}");
    Ok(())
}

/// Writes down what the papers' experiments say, into `experiments/results`.
fn reproduce() -> Result<(), String> {
    let run = ["run", "--release", "--quiet", "--", "reproduce", "--out", "target/reproduce"];
    if let Err(failed) = cargo("reproduction", &run, &[]) {
        // A verdict that was lost is to be seen in the difference.
        eprintln!("xtask: {failed}; recorded all the same");
    }
    for entry in std::fs::read_dir("target/reproduce").map_err(said)? {
        let folder = entry.map_err(said)?.path();
        let Some(name) = folder.file_name().and_then(|name| name.to_str()?.strip_suffix("-quick"))
        else {
            continue;
        };
        for (from, to) in [
            ("verdicts.json", format!("{name}.json")),
            ("report.md", format!("{name}.md")),
            ("plot.svg", format!("{name}-plot.svg")),
            ("heat.svg", format!("{name}-heat.svg")),
        ] {
            let (from, to) = (folder.join(from), format!("experiments/results/{to}"));
            if from.is_file() {
                let mut text = std::fs::read_to_string(&from).map_err(said)?;
                if to.ends_with(".md") {
                    // Beside each other, pictures need names of their own.
                    text = text.replace("](plot.svg)", &format!("]({name}-plot.svg)"));
                    text = text.replace("](heat.svg)", &format!("]({name}-heat.svg)"));
                }
                std::fs::write(to, text).map_err(said)?;
            }
        }
    }
    Ok(())
}

fn install_nextest() -> Result<(), String> {
    let version = Command::new(env!("CARGO")).args(["nextest", "--version"]).output();
    if version.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    cargo("installing cargo-nextest", &["install", "cargo-nextest", "--locked"], &[])
}

fn cargo(what: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO"));
    step(what, command.args(arguments).envs(environment.iter().copied()))
}

/// Runs a command and says what it is for and how long it took.
fn step(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}");
    let started = Instant::now();
    let status = command.status().map_err(|error| {
        format!("{what}: cannot run {}: {error}", command.get_program().to_string_lossy())
    })?;
    if !status.success() {
        return Err(format!("{what}: failed"));
    }
    eprintln!("xtask: {what}: {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
fn said(error: std::io::Error) -> String {
    error.to_string()
}
