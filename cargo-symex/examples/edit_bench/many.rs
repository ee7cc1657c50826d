//! Harnesses over many crates, a few paths each: what is measured is how long it takes to link and
//! simplify them.

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn regex_word(a: u8) {
        let s = [a & 127];
        let _ = regex::Regex::new("^[a-z]+$")
            .unwrap()
            .is_match(std::str::from_utf8(&s).unwrap_or("x"));
    }

    #[symex::harness]
    fn json_value(a: [u8; 3]) {
        let _ = serde_json::from_slice::<serde_json::Value>(&a);
    }

    #[symex::harness]
    fn json_vec(a: [u8; 3]) {
        let _ = serde_json::from_slice::<Vec<u8>>(&a);
    }

    #[symex::harness]
    fn chrono_date(a: i32) {
        let _ = chrono::NaiveDate::from_num_days_from_ce_opt(a);
    }

    #[symex::harness]
    fn chrono_parse(a: [u8; 2]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.parse::<chrono::NaiveTime>();
        }
    }

    #[symex::harness]
    fn toml_parse(a: [u8; 2]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = toml::from_str::<toml::Value>(s);
        }
    }

    #[symex::harness]
    fn time_julian(a: i32) {
        let _ = time::Date::from_julian_day(a);
    }

    #[symex::harness]
    fn hash_map(a: u8) {
        let mut m = hashbrown::HashMap::<u8, u8>::new();
        m.insert(a, 1);
        assert!(m.contains_key(&a));
    }

    #[symex::harness]
    fn index_map(a: u8) {
        let mut m = indexmap::IndexMap::<u8, u8>::new();
        m.insert(a, 1);
        assert!(m.get(&a) == Some(&1));
    }

    #[symex::harness]
    fn small_vec(a: u8) {
        let mut v = smallvec::SmallVec::<[u8; 2]>::new();
        v.push(a);
        v.push(a);
        v.push(a);
        assert!(v.len() == 3);
    }

    #[symex::harness]
    fn bytes_get(a: [u8; 4]) {
        use bytes::Buf;
        let mut b = &a[..];
        let _ = b.get_u32();
    }

    #[symex::harness]
    fn url_parse(a: u8) {
        let s = [b'h', b':', a & 127];
        let _ = url::Url::parse(std::str::from_utf8(&s).unwrap());
    }

    #[symex::harness]
    fn uuid_parse(a: [u8; 4]) {
        let _ = uuid::Uuid::try_parse_ascii(&a);
    }

    #[symex::harness]
    fn semver_parse(a: [u8; 3]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = semver::Version::parse(s);
        }
    }

    #[symex::harness]
    fn itoa_u8(a: u8) {
        let mut b = itoa::Buffer::new();
        let _ = b.format(a);
    }

    #[symex::harness]
    fn ryu_f(a: u8) {
        let mut b = ryu::Buffer::new();
        let _ = b.format(a as f64);
    }

    #[symex::harness]
    fn hex_decode(a: [u8; 4]) {
        let _ = hex::decode(a);
    }

    #[symex::harness]
    fn base64_decode(a: [u8; 4]) {
        use base64::Engine;
        let _ = base64::engine::general_purpose::STANDARD.decode(a);
    }

    #[symex::harness]
    fn percent(a: [u8; 3]) {
        let _ = percent_encoding::percent_decode(&a).decode_utf8();
    }

    #[symex::harness]
    fn wrap(a: u8) {
        let s = [a & 127];
        let _ = textwrap::wrap(std::str::from_utf8(&s).unwrap(), 3);
    }

    #[symex::harness]
    fn rope(a: u8) {
        let s = [a & 127];
        let r = ropey::Rope::from_str(std::str::from_utf8(&s).unwrap());
        assert!(r.len_bytes() == 1);
    }

    #[symex::harness]
    fn bitset(a: u8) {
        let mut f = fixedbitset::FixedBitSet::with_capacity(256);
        f.insert(a as usize);
        assert!(f.contains(a as usize));
    }

    #[symex::harness]
    fn graph(a: u8) {
        let mut g = petgraph::graph::UnGraph::<u8, ()>::new_undirected();
        let x = g.add_node(a);
        let y = g.add_node(1);
        g.add_edge(x, y, ());
        assert!(petgraph::algo::connected_components(&g) == 1);
    }

    #[symex::harness]
    fn nom_digit(a: [u8; 2]) {
        use nom::Parser;
        let r: nom::IResult<&[u8], &[u8]> = nom::character::complete::digit1.parse(&a[..]);
        let _ = r.is_ok();
    }

    #[symex::harness]
    fn inflate(a: [u8; 3]) {
        let _ = miniz_oxide::inflate::decompress_to_vec(&a);
    }

    #[symex::harness]
    fn flate(a: [u8; 2]) {
        use std::io::Read;
        let mut d = flate2::read::ZlibDecoder::new(&a[..]);
        let mut o = Vec::new();
        let _ = d.read_to_end(&mut o);
    }

    #[symex::harness]
    fn crc(a: [u8; 2]) {
        let _ = crc32fast::hash(&a);
    }

    #[symex::harness]
    fn sha(a: u8) {
        use sha2::Digest;
        let _ = sha2::Sha256::digest([a]);
    }

    #[symex::harness]
    fn md5(a: u8) {
        use md5::Digest;
        let _ = md5::Md5::digest([a]);
    }

    #[symex::harness]
    fn blake(a: u8) {
        use blake2::Digest;
        let _ = blake2::Blake2s256::digest([a]);
    }

    #[symex::harness]
    fn bigint(a: u32) {
        let x = num_bigint::BigUint::from(a);
        let _ = &x * &x;
    }

    #[symex::harness]
    fn rational(a: i8, b: i8) {
        if b != 0 {
            let _ = num_rational::Ratio::new(a as i64, b as i64);
        }
    }

    #[symex::harness]
    fn decimal(a: [u8; 3]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.parse::<rust_decimal::Decimal>();
        }
    }

    #[symex::harness]
    fn csv_read(a: [u8; 3]) {
        let mut r = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(&a[..]);
        let _ = r.records().count();
    }

    #[symex::harness]
    fn ron_parse(a: [u8; 2]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = ron::from_str::<u8>(s);
        }
    }

    #[symex::harness]
    fn xml(a: [u8; 3]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let mut r = quick_xml::Reader::from_str(s);
            let _ = r.read_event();
        }
    }

    #[symex::harness]
    fn http_parse(a: [u8; 4]) {
        let mut h = [httparse::EMPTY_HEADER; 4];
        let mut r = httparse::Request::new(&mut h);
        let _ = r.parse(&a);
    }

    #[symex::harness]
    fn http_uri(a: [u8; 3]) {
        let _ = http::Uri::try_from(&a[..]);
    }

    #[symex::harness]
    fn mime_parse(a: [u8; 3]) {
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.parse::<mime::Mime>();
        }
    }

    #[symex::harness]
    fn nfc(a: [u8; 2]) {
        use unicode_normalization::UnicodeNormalization;
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.nfc().count();
        }
    }

    #[symex::harness]
    fn segments(a: [u8; 2]) {
        use unicode_segmentation::UnicodeSegmentation;
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.graphemes(true).count();
        }
    }

    #[symex::harness]
    fn snake(a: [u8; 2]) {
        use heck::ToSnakeCase;
        if let Ok(s) = std::str::from_utf8(&a) {
            let _ = s.to_snake_case();
        }
    }

    #[symex::harness]
    fn sorted(a: [u8; 3]) {
        use itertools::Itertools;
        let _ = a.iter().sorted().collect::<Vec<_>>();
    }

    #[symex::harness]
    fn bits(a: u8) {
        use bitvec::prelude::*;
        let v = a.view_bits::<Lsb0>();
        let _ = v.count_ones();
    }

    #[symex::harness]
    fn array_vec(a: u8) {
        let mut v = arrayvec::ArrayVec::<u8, 2>::new();
        v.push(a);
        let _ = v.try_push(a);
    }

    #[symex::harness]
    fn tiny_vec(a: u8) {
        let mut v = tinyvec::ArrayVec::<[u8; 2]>::new();
        v.push(a);
    }

    #[symex::harness]
    fn slab_one(a: u8) {
        let mut s = slab::Slab::new();
        let k = s.insert(a);
        assert!(s[k] == a);
    }

    #[symex::harness]
    fn aho(a: [u8; 2]) {
        let _ = aho_corasick::AhoCorasick::new(["ab", "b"])
            .unwrap()
            .is_match(&a[..]);
    }

    #[symex::harness]
    fn bstr_chars(a: [u8; 2]) {
        use bstr::ByteSlice;
        let _ = a.chars().count();
    }

    #[test]
    fn edited() {
        assert_ne!(NUMBER, 0);
    }
}
