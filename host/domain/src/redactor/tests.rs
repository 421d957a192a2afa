use super::*;
use proptest::prelude::*;

const CANARY: &str = "c4nary/+ \"pässwörd\\";

fn redactor(value: &str) -> Redactor {
    Redactor::new([value])
}

#[track_caller]
fn gone(redactor: &Redactor, text: &str, left: &str) {
    assert!(redactor.contains(text.as_bytes()), "not found in {text}");
    assert_eq!(redactor.scrub_text(text), left);
    assert_eq!(redactor.scrub_bytes(text.as_bytes()), left.as_bytes());
}

#[test]
fn a_raw_value_is_replaced_and_its_neighbours_stay() {
    gone(&redactor("hunter22"), "a hunter22 b", "a [redacted] b");
    gone(
        &redactor("hunter22"),
        "hunter22hunter22",
        "[redacted][redacted]",
    );
}

#[test]
fn text_without_a_value_is_borrowed() {
    let redactor = redactor("hunter22");
    assert!(matches!(
        redactor.scrub_text("hunter2 %41 \\n"),
        Cow::Borrowed(_)
    ));
    assert!(matches!(redactor.scrub_bytes(b"hunter2"), Cow::Borrowed(_)));
    assert!(!redactor.contains(b"hunter2"));
}

#[test]
fn short_and_no_values_are_ignored() {
    let none: [&str; 0] = [];
    assert!(Redactor::new(none).is_empty());
    assert!(redactor("12345").is_empty());
    assert_eq!(redactor("12345").scrub_text("12345"), "12345");
}

#[test]
fn overlapping_values_leave_no_tail() {
    let redactor = Redactor::new(["abcdef", "defghi"]);
    gone(&redactor, "xabcdefghix", "x[redacted]x");
    let nested = Redactor::new(["bcdefg", "abcdefgh"]);
    gone(&nested, "xabcdefghx", "x[redacted]x");
}

#[test]
fn a_json_escaped_value_is_replaced_and_the_document_stays_valid() {
    let redactor = redactor(CANARY);
    let plain = serde_json::json!({"password": CANARY, "size": 3}).to_string();
    gone(&redactor, &plain, r#"{"password":"[redacted]","size":3}"#);
    let ascii = plain.replace('ä', "\\u00e4").replace('ö', "\\u00F6");
    gone(&redactor, &ascii, r#"{"password":"[redacted]","size":3}"#);
    let slashes = plain.replace('/', "\\/");
    gone(&redactor, &slashes, r#"{"password":"[redacted]","size":3}"#);
    let wrapped = serde_json::json!({ "log": plain }).to_string();
    gone(
        &redactor,
        &wrapped,
        r#"{"log":"{\"password\":\"[redacted]\",\"size\":3}"}"#,
    );
}

#[test]
fn surrogate_pairs_are_undone() {
    gone(
        &redactor("key-😀-key"),
        r#""key-\ud83d\ude00-key""#,
        r#""[redacted]""#,
    );
}

#[test]
fn a_value_half_escaped_is_found() {
    gone(
        &redactor("s3cret-value"),
        "u=s3c%72et-v%61lue&",
        "u=[redacted]&",
    );
    gone(
        &redactor("s3cret-value"),
        r"s3c\u0072et-value",
        "[redacted]",
    );
    gone(
        &redactor("s3cret-value"),
        r"s3c%72et-\u0076alue",
        "[redacted]",
    );
    gone(&redactor("s3cret-value"), "s3c%2572et-value", "[redacted]");
}

#[test]
fn form_and_percent_encodings_are_found() {
    gone(
        &redactor("pass word+1"),
        "p=pass+word%2B1&x=1+2",
        "p=[redacted]&x=1+2",
    );
    gone(
        &redactor("pass word+1"),
        "p=pass%20word+1&",
        "p=[redacted]&",
    );
    gone(
        &redactor("p@ss:w/rd"),
        "postgres://doadmin:p%40ss%3aw%2Frd@host/db",
        "postgres://doadmin:[redacted]@host/db",
    );
}

#[test]
fn hex_is_found_in_both_cases() {
    gone(&redactor("hunter22"), "68756e7465723232", "[redacted]");
    gone(&redactor("kkkkkk"), "6B6B6B6B6B6B", "[redacted]");
}

#[test]
fn base64_is_found_at_every_alignment_in_both_alphabets() {
    let value = "hunter22\u{ff}\u{fe}??>>";
    let redactor = redactor(value);
    for encoding in [
        data_encoding::BASE64,
        data_encoding::BASE64URL,
        data_encoding::BASE64_NOPAD,
    ] {
        for before in ["", "u", "us", "use", "user:"] {
            for after in ["", "x", "xy", "xyz"] {
                let text = encoding.encode(format!("{before}{value}{after}").as_bytes());
                let scrubbed = redactor.scrub_text(&text);
                assert!(scrubbed.contains(REDACTED), "{before:?} {after:?} {text}");
                // Two digits on either side may share bits with the neighbours.
                assert!(scrubbed.len() <= REDACTED.len() + before.len() * 2 + after.len() * 2 + 6);
            }
        }
    }
}

#[test]
fn base64_in_lines_is_found() {
    let key = "-----BEGIN KEY-----\n".to_owned() + &"Zk9xT2JqZWN0".repeat(40);
    let redactor = redactor(&key);
    let wrapped: Vec<String> = data_encoding::BASE64
        .encode(key.as_bytes())
        .as_bytes()
        .chunks(76)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let text = wrapped.join("\r\n");
    assert!(redactor.contains(text.as_bytes()));
    let json = serde_json::json!({ "key": text }).to_string();
    assert!(
        redactor
            .scrub_text(&json)
            .starts_with(r#"{"key":"[redacted]"#)
    );
}

#[test]
fn long_values_are_found_raw_and_encoded() {
    let value: String = (0..4000_u32)
        .map(|i| char::from(b'a' + (i * i % 23) as u8))
        .collect();
    let redactor = redactor(&value);
    gone(&redactor, &format!("<{value}>"), "<[redacted]>");
    let encoded = data_encoding::BASE64.encode(value.as_bytes());
    assert!(redactor.contains(encoded.as_bytes()));
}

#[test]
fn a_value_from_a_file_is_found_without_its_line_break() {
    gone(&redactor("hunter22\n"), "<hunter22>", "<[redacted]>");
}

#[test]
fn a_match_never_leaves_half_an_escape() {
    gone(
        &redactor("nabcdef"),
        r#"{"a":"\nabcdef"}"#,
        r#"{"a":"[redacted]"}"#,
    );
    gone(
        &redactor(r"abcdef\"),
        r#"{"a":"abcdef\"b"}"#,
        r#"{"a":"[redacted]b"}"#,
    );
}

#[test]
fn a_binary_value_inside_a_character_takes_the_character_with_it() {
    let text = "äöüßéè";
    let inside = text.as_bytes().get(1..9).unwrap();
    let redactor = Redactor::new([inside]);
    assert_eq!(redactor.scrub_text(text), "[redacted]è");
}

#[test]
fn debug_shows_no_value() {
    assert_eq!(format!("{:?}", redactor("hunter22")), "Redactor(…)");
}

#[test]
fn megabytes_of_repetition_are_searched() {
    let body = "aaaaaa%61\\n".repeat(200_000);
    let redactor = Redactor::new(["aaaaaaa", "hunter22"]);
    let scrubbed = redactor.scrub_text(&body);
    assert!(!redactor.contains(scrubbed.as_bytes()));
}

proptest! {
    #[test]
    fn no_encoding_of_a_value_survives(
        value in "\\PC{6,40}",
        before in "[a-z]{0,4}",
        after in "[a-z]{0,4}",
        escaped in proptest::collection::vec(any::<bool>(), 160),
    ) {
        let redactor = Redactor::new([&value]);
        let mixed: String = value
            .bytes()
            .zip(&escaped)
            .map(|(byte, escape)| {
                if *escape || !byte.is_ascii() || byte == b'%' {
                    format!("%{byte:02X}")
                } else {
                    char::from(byte).to_string()
                }
            })
            .collect();
        let inside = format!("{before}{value}{after}");
        for text in [
            inside.clone(),
            format!("{before}{mixed}{after}"),
            serde_json::json!([inside]).to_string(),
            data_encoding::BASE64.encode(inside.as_bytes()),
            data_encoding::BASE64URL_NOPAD.encode(inside.as_bytes()),
            HEXLOWER.encode(inside.as_bytes()),
        ] {
            prop_assert!(redactor.contains(text.as_bytes()), "{text}");
            let scrubbed = redactor.scrub_text(&text).into_owned();
            prop_assert!(scrubbed.contains(REDACTED));
            let scrubbed_bytes = redactor.scrub_bytes(text.as_bytes()).into_owned();
            prop_assert_eq!(scrubbed_bytes, scrubbed.into_bytes());
        }
    }

    #[test]
    fn a_scrubbed_json_document_is_still_json(value in "\\PC{6,20}", other in "\\PC{0,20}") {
        prop_assume!(!value.chars().all(|c| c.is_ascii_digit()));
        // Values made of JSON's own marks could stand in the document's frame.
        prop_assume!(!r#"{"password":"","other":""}"#.contains(value.trim()));
        let document = serde_json::json!({"password": value, "other": other}).to_string();
        let scrubbed = Redactor::new([&value]).scrub_text(&document).into_owned();
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&scrubbed);
        prop_assert!(parsed.is_ok(), "{}", scrubbed);
    }
}
