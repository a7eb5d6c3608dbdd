//! `solitree serve` from the command line.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::process::Child;

use super::*;

/// A server that prints its address, and what to end it with.
fn serving(arguments: &[&str]) -> (Child, String) {
    let mut child =
        solitree(&[&["serve"], arguments].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim_end().to_owned())
}

fn get(link: &str) -> String {
    let rest = link.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_is_served_until_a_signal() {
    let (mut child, link) = serving(&["--quiet"]);
    assert!(link.starts_with("http://127.0.0.1:"), "{link}");
    let page = get(&link);
    assert!(page.starts_with("HTTP/1.0 200 OK") && page.contains("<title>Solitree</title>"));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn the_printed_address_carries_the_token() {
    let (mut child, link) =
        serving(&["-q", "--listen", "127.0.0.1", "--token", "0123456789-abcdef"]);
    assert!(link.ends_with("/?token=0123456789-abcdef"), "{link}");
    assert!(get(&link).starts_with("HTTP/1.0 303"));
    let without = link.split('?').next().unwrap();
    assert!(get(without).starts_with("HTTP/1.0 401"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_not_safe_is_not_started() {
    fails(&["serve", "--listen", "0.0.0.0"], 2, "--token <TOKEN>");
    fails(&["serve", "--listen", "0.0.0.0", "--token", "short"], 2, "at least 16 characters");
    fails(&["serve", "--listen", "nowhere", "--token", "x"], 2, "not an address");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    fails(&["serve", "--port", &port], 3, "cannot listen on 127.0.0.1");
}
