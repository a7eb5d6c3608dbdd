//! The description of the API, held against what the API does.

use serde_json::{Value, json};

use crate::client::{get, limited, request};

/// The description that the server gives.
pub async fn described(address: std::net::SocketAddr) -> Value {
    get(address, "/api/openapi.json").await.json()
}

/// What is wrong with a value, by a schema. Knows what the description uses.
fn fault(document: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(place) = schema["$ref"].as_str() {
        let schema = document.pointer(place.trim_start_matches('#')).unwrap();
        return fault(document, schema, value, at);
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("'{other}' is no type"),
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => panic!("no type: {schema}"),
    };
    if !types.iter().any(|name| is(name)) {
        return Some(format!("{at} is {value}, not {types:?}"));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Some(format!("{at} is {value}, not one of {values:?}"));
    }
    let items = value.as_array().into_iter().flatten().enumerate();
    for (index, item) in items.filter(|_| schema["items"].is_object()) {
        let found = fault(document, &schema["items"], item, &format!("{at}[{index}]"));
        if found.is_some() {
            return found;
        }
    }
    let object = value.as_object()?;
    let required = schema["required"].as_array().into_iter().flatten();
    if let Some(missing) = required.filter_map(Value::as_str).find(|key| !object.contains_key(*key))
    {
        return Some(format!("{at} has no {missing}"));
    }
    object.iter().find_map(|(key, value)| {
        let schema = match (&schema["properties"][key], &schema["additionalProperties"]) {
            (Value::Null, Value::Bool(false)) => return Some(format!("{at} has {key}")),
            (Value::Null, Value::Object(_)) => &schema["additionalProperties"],
            (Value::Null, _) => return None,
            (known, _) => known,
        };
        fault(document, schema, value, &format!("{at}.{key}"))
    })
}

#[tokio::test]
async fn examples_are_answered_as_described() {
    let address = limited(|_| {}).await;
    let document = described(address).await;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "delete"] {
            let operation = &methods[method];
            let mut target = path.clone();
            let mut query = Vec::new();
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let of = |key: &str| parameter[key].as_str().unwrap();
                let place = format!("{{{}}}", of("name"));
                target = target.replace(&place, of("example"));
                if of("in") == "query" {
                    query.push(format!("{}={}", of("name"), of("example")));
                }
            }
            if !query.is_empty() {
                target = format!("{target}?{}", query.join("&"));
            }
            let target = target.replace("{name}", "x").replace("{file}", "x");
            let content = &operation["requestBody"]["content"]["application/json"];
            let body =
                if content.is_object() { content["example"].to_string() } else { String::new() };
            let answer = request(address, &method.to_uppercase(), &target, &[], &body).await;
            if operation.is_null() {
                assert_eq!(answer.status, 405, "{method} {path} is not described");
                continue;
            }
            let responses = &operation["responses"];
            let told = &responses[answer.status.to_string()];
            assert!(told.is_object(), "{method} {path} answers {}", answer.status);
            // Nobody has runs, and nobody upgrades.
            let refused = path.contains('{') || path == "/api/socket";
            assert_eq!(answer.status != 200, refused, "{method} {path}: {answer:?}");
            let told = told["$ref"]
                .as_str()
                .map_or(told, |place| document.pointer(place.trim_start_matches('#')).unwrap());
            if let Some(schema) = told["content"]["application/json"].get("schema") {
                assert_eq!(fault(&document, schema, &answer.json(), path), None);
            }
            if content.is_object() {
                let example = &content["example"];
                assert_eq!(fault(&document, &content["schema"], example, path), None);
            }
        }
    }
}

#[tokio::test]
async fn mistakes_are_answered_as_described() {
    let address = limited(|_| {}).await;
    let document = described(address).await;
    let refusal = json!({"$ref": "#/components/schemas/Refusal"});
    let large = format!("{{\"board\":\"{}\"}}", "1".repeat(100 << 10));
    for (path, body, status) in [
        ("/api/verify", r#"{"board":"std:99","moves":[]}"#, 400),
        ("/api/verify", r#"{"board":"std:1"}"#, 422),
        ("/api/verify", "{", 400),
        ("/api/solve", r#"{"board":"std:1","algorithm":"none"}"#, 400),
        ("/api/think", r#"{"moves":["x"]}"#, 400),
        ("/api/solve", large.as_str(), 413),
    ] {
        let answer = request(address, "POST", path, &[], body).await;
        assert_eq!(answer.status, status, "{path} {answer:?}");
        let told = &document["paths"][path]["post"]["responses"][status.to_string()];
        assert!(told.is_object(), "{path} {status} is not described");
        assert_eq!(fault(&document, &refusal, &answer.json(), path), None);
    }
}

#[tokio::test]
async fn it_can_be_read_without_scripts() {
    let address = limited(|_| {}).await;
    let page = get(address, "/api/docs").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(page.text().contains("POST /api/solve") && !page.text().contains("<script"));
    let style = get(address, "/api/docs.css").await;
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
}
