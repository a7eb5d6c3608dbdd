//! Who is let in, and what can be reached.

use serde_json::json;
use solitree_server::{Config, ConfigError, Server};

use crate::client::{get, id, limited, open, post, raw, request, server};

#[tokio::test]
async fn it_listens_on_this_machine_alone_unless_there_is_a_token() {
    let here = Server::bind(Config::default()).await.unwrap();
    assert!(here.address().ip().is_loopback() && here.address().port() != 0);
    assert_eq!(here.link(), format!("http://{}/", here.address()));
    let everywhere = Config { listen: "0.0.0.0:0".parse().unwrap(), ..Config::default() };
    let refused = Server::bind(everywhere).await.unwrap_err();
    assert!(matches!(refused, ConfigError::TokenNeeded(_)), "{refused}");
}

#[tokio::test]
async fn other_hosts_are_misdirected() {
    let address = server(Config::default()).await;
    let port = address.port();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1:1", "", "a b"] {
        for path in ["/", "/api/boards", "/api/socket"] {
            let answer = request(address, "GET", path, &[("Host", host)], "").await;
            assert!([421, 400].contains(&answer.status), "{host} {path}: {answer:?}");
        }
    }
    let twice = format!("GET / HTTP/1.0\r\nHost: {address}\r\nHost: evil.example\r\n\r\n");
    assert!([421, 400].contains(&raw(address, twice.as_bytes()).await.status));
    assert_eq!(raw(address, b"GET / HTTP/1.0\r\n\r\n").await.status, 421);
    let local = format!("localhost:{port}");
    assert_eq!(request(address, "GET", "/", &[("Host", &local)], "").await.status, 200);
    assert_eq!(open(address, &[("Host", "evil.example")]).await.err(), Some(421));
}

#[tokio::test]
async fn other_sites_reach_no_api_and_no_socket() {
    let address = server(Config::default()).await;
    let own = format!("http://{address}");
    let ask = json!({"board": "11/22", "moves": ["a1"]}).to_string();
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""] {
        let from = [("Origin", origin)];
        assert_eq!(open(address, &from).await.err(), Some(403), "{origin}");
        assert_eq!(request(address, "POST", "/api/verify", &from, &ask).await.status, 403);
        assert_eq!(request(address, "GET", "/api/boards", &from, "").await.status, 403);
    }
    for site in ["cross-site", "same-site"] {
        let from = [("Sec-Fetch-Site", site)];
        assert_eq!(open(address, &from).await.err(), Some(403));
        assert_eq!(request(address, "GET", "/api/boards", &from, "").await.status, 403);
        // A link to the page from elsewhere is welcome.
        assert_eq!(request(address, "GET", "/", &from, "").await.status, 200);
    }
    assert!(open(address, &[("Origin", &own)]).await.is_ok());
    assert!(open(address, &[]).await.is_ok(), "programs have no origin");
    let from = [("Origin", own.as_str()), ("Sec-Fetch-Site", "same-origin")];
    assert_eq!(request(address, "POST", "/api/verify", &from, &ask).await.status, 200);
}

#[tokio::test]
async fn with_a_token_nothing_is_served_without_it() {
    let token = "correct-horse-battery";
    let config = Config { token: Some(token.to_owned()), ..Config::default() };
    let server_ = Server::bind(config.clone()).await.unwrap();
    assert!(server_.link().ends_with("/?token=correct-horse-battery"));
    let address = server(config).await;
    for path in ["/", "/api/boards", "/index.html", "/?token=wrong", "/?token="] {
        assert_eq!(get(address, path).await.status, 401, "{path}");
    }
    assert_eq!(open(address, &[]).await.err(), Some(401));
    let welcome = get(address, "/?token=correct-horse-battery").await;
    assert_eq!((welcome.status, welcome.header("location")), (303, Some("/")));
    let cookie = welcome.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let pair = format!("a=b; {}", cookie.split(';').next().unwrap());
    assert_eq!(request(address, "GET", "/", &[("Cookie", &pair)], "").await.status, 200);
    assert!(open(address, &[("Cookie", &pair)]).await.is_ok());
    let bearer = format!("Bearer {token}");
    let with = [("Authorization", bearer.as_str())];
    assert_eq!(request(address, "GET", "/api/boards", &with, "").await.status, 200);
    let almost = [("Authorization", "Bearer correct-horse-batterx")];
    assert_eq!(request(address, "GET", "/api/boards", &almost, "").await.status, 401);
}

#[tokio::test]
async fn every_answer_has_a_strict_policy_and_the_page_asks_nobody_else() {
    let address = server(Config::default()).await;
    for path in ["/", "/api/boards", "/nothing", "/api/nothing", "/api/board?board=x"] {
        let answer = get(address, path).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let page = get(address, "/").await.text();
    for tag in ["<script", "<link", "<img", "<iframe"] {
        for part in page.split(tag).skip(1) {
            let attributes = part.split('>').next().unwrap();
            assert!(!attributes.contains("//"), "{attributes}");
        }
    }
    assert!(!page.contains("<style") && !page.contains(" style="), "not allowed by the policy");
}

#[tokio::test]
async fn no_path_reaches_the_file_system() {
    let address = server(Config::default()).await;
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/Cargo.toml",
        "/assets/../../Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/C:/Windows/win.ini",
        "/index.html/",
        "/src/lib.rs",
    ] {
        assert_eq!(get(address, path).await.status, 404, "{path}");
    }
    for board in ["/etc/passwd", "../Cargo.toml", "Cargo.toml", "-", "/proc/self/environ"] {
        let answer = get(address, &format!("/api/board?board={board}")).await;
        assert_eq!(answer.status, 400, "{board}");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(!message.contains("No such file") && !message.contains("denied"), "{message}");
        let ask = json!({"board": board, "moves": []});
        assert_eq!(post(address, "/api/verify", &ask).await.status, 400);
        assert_eq!(post(address, "/api/solve", &ask).await.status, 422);
        let mut socket = open(address, &[]).await.unwrap();
        socket.ask(json!({"ask": "search", "id": id("f"), "what": {"board": board}})).await;
        assert_eq!(socket.until("refused").await["field"], "board");
    }
}

#[tokio::test]
async fn the_page_is_small_and_cached() {
    let address = server(Config::default()).await;
    let page = get(address, "/").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let tag = page.header("etag").unwrap();
    let again = request(address, "GET", "/", &[("If-None-Match", tag)], "").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let text = page.text();
    let files = text.split(['"', '\'']).filter(|part| part.contains("assets/"));
    let mut total = page.body.len();
    for file in files {
        let path = format!("/{}", file.trim_start_matches(['.', '/']));
        let asset = request(address, "GET", &path, &[("Accept-Encoding", "gzip")], "").await;
        assert_eq!(asset.status, 200, "{path}");
        assert!(asset.header("cache-control").unwrap().contains("immutable"));
        total += asset.body.len();
    }
    assert!(total < 250_000, "{total} bytes");
}

#[tokio::test]
async fn nonsense_is_answered_and_survived() {
    let address = limited(|limits| limits.burst = 1e6).await;
    for bytes in [
        &b""[..],
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST /api/solve HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let answer = raw(address, bytes).await;
        assert!([0, 400, 421, 505].contains(&answer.status), "{answer:?}");
    }
    for body in ["{", "[]", "null", "{\"board\":1}", "{\"board\":\"std:1\",\"x\":1}", "\u{0}"] {
        for path in ["/api/solve", "/api/verify"] {
            let answer = request(address, "POST", path, &[], body).await;
            assert!([400, 422].contains(&answer.status), "{body}: {answer:?}");
            assert_eq!(answer.json()["field"], "body");
        }
    }
    assert_eq!(get(address, "/api/boards").await.status, 200);
}
