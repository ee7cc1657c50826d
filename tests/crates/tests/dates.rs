//! Dates and durations.

use std::time::{Duration, UNIX_EPOCH};

#[symex::harness]
fn jiff_next_day(year: i16, month: i8, day: i8) {
    if let Ok(date) = jiff::civil::Date::new(year, month, day)
        && let Ok(next) = date.tomorrow()
    {
        assert!(next > date);
        assert_eq!(next.yesterday().unwrap(), date);
    }
}

#[symex::harness]
fn jiff_time_any_text(text: [u8; 8]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(time) = text.parse::<jiff::civil::Time>()
    {
        assert_eq!(time.to_string().parse::<jiff::civil::Time>().unwrap(), time);
    }
}

#[symex::harness]
fn humantime_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = humantime::parse_duration(text);
    }
}

#[symex::harness]
fn humantime_round_trip(seconds: u16) {
    let duration = Duration::from_secs(seconds.into());
    let text = humantime::format_duration(duration).to_string();
    assert_eq!(humantime::parse_duration(&text), Ok(duration));
}

#[symex::harness]
fn httpdate_round_trip(seconds: u32) {
    let time = UNIX_EPOCH + Duration::from_secs(seconds.into());
    let text = httpdate::fmt_http_date(time);
    assert_eq!(httpdate::parse_http_date(&text).unwrap(), time);
}

/// Day, month and year of a date that is otherwise given.
#[symex::harness]
fn httpdate_any_date(text: [u8; 11]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let _ = httpdate::parse_http_date(&format!("Sun, {text} 08:49:37 GMT"));
    }
}
