//! A date of chrono 0.4.19. `from_num_days_from_ce_opt` promises `None` for a day out of range.

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    /// Every day number gives a date or `None`, and never a panic.
    #[symex::harness]
    fn any_day(days: i32) {
        let _ = NaiveDate::from_num_days_from_ce_opt(days);
    }
}
