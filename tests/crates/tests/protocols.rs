//! What the web and networks write: requests, addresses, routes, names.

#[symex::harness]
fn httparse_any_bytes(data: [u8; 6]) {
    let request = [b"GET / HTTP/1.1\r\n", &data[..], b"\r\n\r\n"].concat();
    let mut headers = [httparse::EMPTY_HEADER; 4];
    let _ = httparse::Request::new(&mut headers).parse(&request);
}

#[symex::harness]
fn httparse_chunk_size(data: [u8; 6]) {
    let _ = httparse::parse_chunk_size(&data);
}

#[symex::harness]
fn ipnet_any_text(text: [u8; 9]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(net) = text.parse::<ipnet::Ipv4Net>()
    {
        assert_eq!(net.to_string().parse::<ipnet::Ipv4Net>().unwrap(), net);
    }
}

#[symex::harness]
fn ipnet_contains(address: u32, length: u8, other: u32) {
    symex::assume(length <= 32);
    let net = ipnet::Ipv4Net::new(address.into(), length).unwrap();
    let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
    let within = address & mask == other & mask;
    assert_eq!(net.contains(&std::net::Ipv4Addr::from(other)), within);
}

#[symex::harness]
fn matchit_any_path(path: [u8; 5]) {
    let mut router = matchit::Router::new();
    router.insert("/", 0).unwrap();
    router.insert("/a/{id}", 1).unwrap();
    router.insert("/ab", 2).unwrap();
    router.insert("/f/{*rest}", 3).unwrap();
    if let Ok(path) = std::str::from_utf8(&path)
        && let Ok(found) = router.at(path)
    {
        assert_eq!(*found.value == 1, path.starts_with("/a/"));
    }
}

#[symex::harness]
fn mime_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(mime) = text.parse::<mime::Mime>()
    {
        assert_eq!(mime.to_string().parse::<mime::Mime>().unwrap(), mime);
    }
}

#[symex::harness]
fn cookie_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(cookie) = cookie::Cookie::parse(text)
    {
        assert_eq!(cookie::Cookie::parse(cookie.to_string()).unwrap(), cookie);
    }
}

#[symex::harness]
fn data_url_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let url = format!("data:{text}");
        if let Ok(url) = data_url::DataUrl::process(&url) {
            let _ = url.decode_to_vec();
        }
    }
}

#[symex::harness]
fn punycode_round_trip(text: &str) {
    if let Some(encoded) = idna::punycode::encode_str(text) {
        assert_eq!(
            idna::punycode::decode_to_string(&encoded).as_deref(),
            Some(text)
        );
    }
}

#[symex::harness]
fn punycode_any_text(text: [u8; 5]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = idna::punycode::decode_to_string(text);
    }
}

#[symex::harness]
fn url_any_path(path: [u8; 4]) {
    if let Ok(path) = std::str::from_utf8(&path)
        && let Ok(url) = url::Url::parse(&format!("http://a/{path}"))
    {
        assert_eq!(url::Url::parse(url.as_str()).unwrap(), url);
    }
}

#[symex::harness]
fn semver_any_text(text: [u8; 8]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(version) = semver::Version::parse(text)
    {
        assert_eq!(version.to_string(), text);
    }
}

#[symex::harness]
fn semver_requirement(major: u8, minor: u8) {
    let version = semver::Version::new(major.into(), minor.into(), 0);
    let requirement = semver::VersionReq::parse("^1.2").unwrap();
    assert_eq!(requirement.matches(&version), major == 1 && minor >= 2);
}

#[symex::harness]
fn uuid_round_trip(value: u128) {
    let uuid = uuid::Uuid::from_u128(value);
    assert_eq!(uuid.to_string().parse::<uuid::Uuid>(), Ok(uuid));
}

/// The last group of an identifier that is otherwise given.
#[symex::harness]
fn uuid_any_text(text: [u8; 12]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = format!("67e55044-10b1-426f-9247-{text}").parse::<uuid::Uuid>();
    }
}
