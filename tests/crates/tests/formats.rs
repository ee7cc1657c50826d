//! Formats of text: JSON, XML, CSV, INI, Markdown.

#[symex::harness]
fn serde_json_any_text(text: [u8; 5]) {
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(&text) {
        let again = serde_json::to_string(&value).unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&again).unwrap(),
            value
        );
    }
}

#[symex::harness]
fn serde_json_string(text: &str) {
    let written = serde_json::to_string(text).unwrap();
    assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
}

#[symex::harness]
fn json5_any_text(text: [u8; 4]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = json5::from_str::<serde_json::Value>(text);
    }
}

#[symex::harness]
fn quick_xml_any_text(text: [u8; 6]) {
    let mut reader = quick_xml::Reader::from_reader(&text[..]);
    while let Ok(event) = reader.read_event() {
        if event == quick_xml::events::Event::Eof {
            break;
        }
    }
}

#[symex::harness]
fn quick_xml_escapes(text: [u8; 5]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let escaped = quick_xml::escape::escape(text);
        assert_eq!(quick_xml::escape::unescape(&escaped).unwrap(), text);
    }
}

#[symex::harness]
fn roxmltree_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(document) = roxmltree::Document::parse(text)
    {
        assert!(document.root_element().is_element());
    }
}

#[symex::harness]
fn csv_any_bytes(data: [u8; 6]) {
    let mut reader = csv_core::Reader::new();
    let (mut input, mut out, mut fields) = (&data[..], [0; 16], 0);
    loop {
        let (result, read, _) = reader.read_field(input, &mut out);
        input = &input[read..];
        match result {
            csv_core::ReadFieldResult::Field { .. } => fields += 1,
            csv_core::ReadFieldResult::End => break,
            _ => {}
        }
    }
    assert!(fields <= 7);
}

#[symex::harness]
fn ini_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = ini::Ini::load_from_str(text);
    }
}

#[symex::harness]
fn markdown_any_text(text: [u8; 4]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(text));
    }
}
