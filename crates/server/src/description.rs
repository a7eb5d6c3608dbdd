//! What the API is: an OpenAPI document, and the same to be read. No scripts.

use std::fmt::Write;
use std::sync::LazyLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use solitree_lab::report::escaped;

/// The document. Tests hold it against the routes and their answers.
const DOCUMENT: &str = include_str!("../openapi.json");

/// How the readable form looks.
const STYLE: &str = "\
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
section{border-top:1px solid #8886;padding-block:.5rem}
h2{font-size:1.1rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em}
pre{overflow-x:auto;padding:.6rem;background:#8882;border-radius:8px}
table{border-collapse:collapse}
th,td{padding:.2rem .8rem .2rem 0;border-bottom:1px solid #8884;text-align:left;vertical-align:top}
";

static PAGE: LazyLock<String> =
    LazyLock::new(|| page(&serde_json::from_str(DOCUMENT).unwrap_or_default()));

/// `GET /api/openapi.json`
pub async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}

/// `GET /api/docs`
pub async fn docs() -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], PAGE.as_str()).into_response()
}

/// `GET /api/docs.css`
pub async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

/// The document as a page.
fn page(document: &Value) -> String {
    let mut body = format!(
        "<h1>The API of {}</h1>\n<p>{}</p>\n<p><a href=\"openapi.json\">The same as OpenAPI</a></p>\n",
        text(&document["info"]["title"]),
        text(&document["info"]["description"])
    );
    for (path, methods) in entries(&document["paths"]) {
        for (method, operation) in entries(methods) {
            let name = format!("{} {path}", method.to_uppercase());
            let _ = writeln!(
                body,
                "<section>\n<h2><code>{}</code></h2>\n<p>{}</p>",
                escaped(&name),
                text(&operation["summary"])
            );
            if operation["description"].is_string() {
                let _ = writeln!(body, "<p>{}</p>", text(&operation["description"]));
            }
            write_operation(&mut body, document, operation, &name);
            body.push_str("</section>\n");
        }
    }
    body.push_str("<h1>The objects</h1>\n");
    for (name, schema) in entries(&document["components"]["schemas"]) {
        let _ = writeln!(
            body,
            "<section id=\"{0}\">\n<h2>{0}</h2>\n<p>{1}</p>",
            escaped(name),
            text(&schema["description"])
        );
        let fields = entries(&schema["properties"]).map(|(key, field)| {
            let about = escaped(field["description"].as_str().unwrap_or_default());
            [format!("<code>{}</code>", escaped(key)), kind(field), about]
        });
        write_table(&mut body, &format!("fields of {name}"), ["field", "type", ""], fields);
        body.push_str("</section>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>API · Solitree</title>\n<link rel=\"stylesheet\" href=\"docs.css\"></head>\n\
         <body><main>\n{body}</main></body></html>\n"
    )
}

/// What an operation takes and answers.
fn write_operation(body: &mut String, document: &Value, operation: &Value, name: &str) {
    let parameters = operation["parameters"].as_array().into_iter().flatten().map(|parameter| {
        let example = parameter["example"].as_str().unwrap_or_default();
        [
            format!("<code>{}</code>", text(&parameter["name"])),
            text(&parameter["description"]),
            format!("<code>{}</code>", escaped(example)),
        ]
    });
    write_table(body, &format!("parameters of {name}"), ["parameter", "", "example"], parameters);
    let content = &operation["requestBody"]["content"]["application/json"];
    if content.is_object() {
        let example = serde_json::to_string_pretty(&content["example"]).unwrap_or_default();
        let _ = writeln!(body, "<p>Takes {}, such as</p>", kind(&content["schema"]));
        let _ = writeln!(body, "<pre>{}</pre>", escaped(&example));
    }
    let answers = entries(&operation["responses"]).map(|(status, answer)| {
        let answer = match answer["$ref"].as_str() {
            Some(place) => document.pointer(place.trim_start_matches('#')).unwrap_or(answer),
            None => answer,
        };
        let of = |(media, content): (&String, &Value)| {
            format!("{} ({})", kind(&content["schema"]), escaped(media))
        };
        let what: Vec<String> = entries(&answer["content"]).map(of).collect();
        [escaped(status), text(&answer["description"]), what.join(", ")]
    });
    write_table(body, &format!("answers of {name}"), ["status", "means", "answer"], answers);
}

/// A table, unless it would be empty.
fn write_table(
    body: &mut String,
    label: &str,
    head: [&str; 3],
    rows: impl Iterator<Item = [String; 3]>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = write!(body, "<table aria-label=\"{}\"><thead><tr>", escaped(label));
    head.iter().for_each(|cell| {
        let tag = if cell.is_empty() { "td" } else { "th" };
        let _ = write!(body, "<{tag}>{cell}</{tag}>");
    });
    body.push_str("</tr></thead><tbody>\n");
    for [first, second, third] in rows {
        let _ = writeln!(body, "<tr><td>{first}</td><td>{second}</td><td>{third}</td></tr>");
    }
    body.push_str("</tbody></table>\n");
}

/// What a schema is, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next()) {
        return format!("<a href=\"#{0}\">{0}</a>", escaped(name));
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(text).collect::<Vec<_>>().join(" | ");
    }
    match (&schema["type"], &schema["items"]) {
        (Value::String(array), items) if array == "array" => format!("list of {}", kind(items)),
        (Value::String(name), _) => escaped(name),
        (Value::Array(names), _) => names.iter().map(text).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}

fn entries(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flatten()
}

fn text(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_described_is_what_there_is() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let described: BTreeSet<&str> =
            entries(&document["paths"]).map(|(path, _)| path.as_str()).collect();
        let routes: Vec<&str> = crate::serving::routes().iter().map(|(path, _)| *path).collect();
        assert_eq!(described, routes.into_iter().collect());
        assert_eq!(document["info"]["version"], solitree_lab::wire::VERSION);
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let (mut left, mut seen) = (vec![&document], 0);
        while let Some(value) = left.pop() {
            match value {
                Value::Object(object) => {
                    if let Some(place) = object.get("$ref") {
                        let place = place.as_str().unwrap().trim_start_matches('#');
                        assert!(document.pointer(place).is_some(), "{place}");
                        seen += 1;
                    }
                    left.extend(object.values());
                }
                Value::Array(array) => left.extend(array),
                _ => {}
            }
        }
        assert!(seen > 50);
    }

    #[test]
    fn the_readable_form_has_it_all_and_no_script() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        for (path, _) in entries(&document["paths"]) {
            assert!(PAGE.contains(&format!(" {path}</code></h2>")), "{path}");
        }
        for (name, _) in entries(&document["components"]["schemas"]) {
            assert!(PAGE.contains(&format!("<section id=\"{name}\">")), "{name}");
        }
        assert!(!PAGE.contains("<script") && !PAGE.contains("style=") && !PAGE.contains("//"));
    }
}
