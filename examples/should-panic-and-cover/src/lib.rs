//! Harnesses for expected panics and reached code, and one that tests nothing.

/// Returns `a / b`, rounded up.
pub fn div_ceil(a: u8, b: u8) -> u8 {
    assert!(b != 0, "division by nothing");
    a / b + u8::from(a % b != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function panics with this text for every `a` when `b` is 0.
    #[symex::harness(should_panic = "division by nothing")]
    fn refuses_zero(a: u8) {
        div_ceil(a, 0);
    }

    /// The covers are reached, so the assertion was checked for both kinds of input.
    #[symex::harness]
    fn rounds_up(a: u8, b: u8) {
        symex::assume(b != 0);
        let quotient = div_ceil(a, b);
        symex::cover!(a % b == 0, "divides");
        symex::cover!(a % b != 0, "leaves a remainder");
        symex::check!(
            u32::from(quotient) * u32::from(b) >= u32::from(a),
            "not less"
        );
    }

    /// No input meets both assumptions: nothing is tested, and the verdict says so.
    #[symex::harness]
    fn assumes_too_much(a: u8, b: u8) {
        symex::assume(a > b);
        symex::assume(b > a);
        assert_eq!(div_ceil(a, b), 1);
    }

    /// Inputs reach the harness, but not the one that this test was written for.
    #[symex::harness]
    fn never_gets_there(a: u8) {
        let quotient = div_ceil(a, 2);
        symex::cover!(quotient > 0x80, "a large quotient");
    }
}
