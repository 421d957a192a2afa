//! Where a request wants to go.

use berth_domain::manifest::{Endpoint, Manifest};
use url::{Host, Url};

use super::plan::shown;

/// Longest URL, in bytes.
const URL_BYTES_MAX: usize = 8 << 10;
/// Parameters by which some servers take another method, or a credential that is not the account's.
const REFUSED_PARAMETERS: [&str; 5] = [
    "_method",
    "access_token",
    "api_key",
    "apikey",
    "authorization",
];

/// Parses a guest's URL, once: what is checked here is what is sent.
pub(super) fn parse(text: &str) -> Result<Url, String> {
    if text.len() > URL_BYTES_MAX {
        return Err(format!("the URL has more than {URL_BYTES_MAX} bytes"));
    }
    let url = Url::parse(text).map_err(|error| format!("`{}` is no URL: {error}", shown(text)))?;
    if url.scheme() != "https" {
        return Err(format!(
            "the scheme `{}` is not granted; write `https`, the operator decides what is spoken",
            shown(url.scheme())
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "a URL carries no user information; the host puts the credential on".to_owned(),
        );
    }
    if url.fragment().is_some() {
        return Err("a URL carries no fragment".to_owned());
    }
    // A path that the parser had to rewrite (dot segments, backslashes) would reach another object
    // than the guest's own text says.
    let raw = text.split_once("://").map_or("", |(_, rest)| rest);
    let raw_path = raw
        .find(['/', '\\', '?'])
        .map_or("", |at| &raw[at..])
        .split(['?', '#'])
        .next()
        .unwrap_or("");
    if raw_path != url.path() && !(raw_path.is_empty() && url.path() == "/") {
        return Err(format!(
            "write the path in its plain form, percent-encoded: `{}` would be sent as `{}`",
            shown(raw_path),
            shown(url.path())
        ));
    }
    if let Some((name, _)) = url
        .query_pairs()
        .find(|(name, _)| REFUSED_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()))
    {
        return Err(format!(
            "the query parameter `{}` is not sent on: it could change the method or the credential",
            shown(&name)
        ));
    }
    Ok(url)
}

/// The endpoint of the manifest that a URL belongs to.
pub(super) fn endpoint<'m>(manifest: &'m Manifest, url: &Url) -> Option<&'m Endpoint> {
    let exact = |endpoint: &&Endpoint| is_at(&endpoint.origin, url);
    let wide = |endpoint: &&Endpoint| is_below(&endpoint.origin, url);
    manifest
        .endpoints
        .iter()
        .find(exact)
        .or_else(|| manifest.endpoints.iter().find(wide))
}

fn is_at(origin: &str, url: &Url) -> bool {
    !origin.contains('*') && Url::parse(origin).is_ok_and(|origin| origin.origin() == url.origin())
}

/// Whether a wildcard origin covers the URL: one more label, and the same port.
fn is_below(origin: &str, url: &Url) -> bool {
    let Some(rest) = origin.strip_prefix("https://*.") else {
        return false;
    };
    let (name, port) = match rest.split_once(':') {
        Some((name, port)) => (name, port.parse::<u16>().ok()),
        None => (rest, Some(443)),
    };
    let Some(Host::Domain(host)) = url.host() else {
        return false;
    };
    let label = host
        .strip_suffix(name)
        .and_then(|label| label.strip_suffix('.'));
    label.is_some_and(|label| !label.is_empty() && !label.contains('.'))
        && url.port_or_known_default() == port
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err()
    }

    #[test]
    fn a_url_that_hides_something_is_refused() {
        insta::assert_snapshot!(
            [
                "http://api.example.com/x", "ftp://api.example.com/x", "/v2/x", "https://user:pass@api.example.com/x", "https://token@api.example.com/x",
                "https://api.example.com/x#y", "https://api.example.com/v2/../x", "https://api.example.com/v2/%2e%2e/x", "https://api.example.com\\x",
                "https://api.example.com/x\t", "https://api.example.com/x y", "https://api.example.com/x?_method=DELETE", "https://api.example.com/x?Access_Token=mine",
            ]
            .map(|text| format!("{text:?} -> {}", refusal(text)))
            .join("\n"),
            @r#"
    "http://api.example.com/x" -> the scheme `http` is not granted; write `https`, the operator decides what is spoken
    "ftp://api.example.com/x" -> the scheme `ftp` is not granted; write `https`, the operator decides what is spoken
    "/v2/x" -> `/v2/x` is no URL: relative URL without a base
    "https://user:pass@api.example.com/x" -> a URL carries no user information; the host puts the credential on
    "https://token@api.example.com/x" -> a URL carries no user information; the host puts the credential on
    "https://api.example.com/x#y" -> a URL carries no fragment
    "https://api.example.com/v2/../x" -> write the path in its plain form, percent-encoded: `/v2/../x` would be sent as `/x`
    "https://api.example.com/v2/%2e%2e/x" -> write the path in its plain form, percent-encoded: `/v2/%2e%2e/x` would be sent as `/x`
    "https://api.example.com\\x" -> write the path in its plain form, percent-encoded: `\x` would be sent as `/x`
    "https://api.example.com/x\t" -> write the path in its plain form, percent-encoded: `/x�` would be sent as `/x`
    "https://api.example.com/x y" -> write the path in its plain form, percent-encoded: `/x y` would be sent as `/x%20y`
    "https://api.example.com/x?_method=DELETE" -> the query parameter `_method` is not sent on: it could change the method or the credential
    "https://api.example.com/x?Access_Token=mine" -> the query parameter `Access_Token` is not sent on: it could change the method or the credential
    "#
        );
    }

    #[test]
    fn a_plain_url_passes_with_its_query() {
        assert_eq!(
            parse("https://api.example.com/v2/x%20y?page=2&q=a%2Fb")
                .unwrap()
                .query(),
            Some("page=2&q=a%2Fb")
        );
    }

    #[test]
    fn a_wildcard_covers_one_label() {
        let covers = |url: &str| is_below("https://*.do-ai.run", &Url::parse(url).unwrap());
        assert!(covers("https://abc.do-ai.run/x"));
        for url in [
            "https://do-ai.run/",
            "https://a.b.do-ai.run/",
            "https://xdo-ai.run/",
            "https://abc.do-ai.run.evil.com/",
            "https://abc.do-ai.run:8443/",
            "https://.do-ai.run/",
        ] {
            assert!(
                !Url::parse(url).is_ok_and(|url| is_below("https://*.do-ai.run", &url)),
                "{url}"
            );
        }
    }

    #[test]
    fn an_address_in_disguise_is_no_endpoint() {
        for url in [
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://[::ffff:127.0.0.1]/",
            "https://api.example.com./",
            "https://api.example.com:444/",
        ] {
            assert!(
                !is_at("https://api.example.com", &Url::parse(url).unwrap()),
                "{url}"
            );
        }
        assert!(is_at(
            "https://api.example.com",
            &Url::parse("https://API.example.com:443/x").unwrap()
        ));
    }
}
