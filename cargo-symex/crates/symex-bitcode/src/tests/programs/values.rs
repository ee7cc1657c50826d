// Reports numbers that depend on every step; compared between a native run and the interpreted
// translation. Only what is instantiated here or inlined is used: the standard library is not
// linked to the translation.

unsafe extern "C" {
    safe fn report(x: u64);
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Shape {
    Unit,
    Circle { r: f32 },
    Rect(f64, f64),
    Tagged(u8, Option<i16>),
}

trait Area {
    fn area(&self) -> f64;
    fn twice(&self) -> f64 {
        self.area() * 2.0
    }
}

impl Area for Shape {
    fn area(&self) -> f64 {
        match *self {
            Shape::Unit => 1.0,
            Shape::Circle { r } => f64::from(r) * f64::from(r) * 3.0,
            Shape::Rect(a, b) => a * b,
            Shape::Tagged(n, x) => f64::from(n) + x.map_or(-0.5, f64::from),
        }
    }
}

struct Fixed(i128);
impl Area for Fixed {
    fn area(&self) -> f64 {
        self.0 as f64
    }
}

struct Random(u64);
impl Iterator for Random {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Some(self.0)
    }
}

fn mixed(values: &mut [u32]) -> u64 {
    for i in 1..values.len() {
        let mut j = i;
        while j > 0 && values[j - 1] > values[j] {
            values.swap(j - 1, j);
            j -= 1;
        }
    }
    values
        .iter()
        .zip(values.iter().rev())
        .enumerate()
        .map(|(i, (a, b))| (u64::from(*a) << (i % 5)) ^ u64::from(b.rotate_left(i as u32)))
        .fold(0, |all, n| all.wrapping_mul(31).wrapping_add(n))
}

fn checked(a: i32, b: i32) -> Option<i32> {
    a.checked_mul(b)?.checked_add(b)?.checked_rem(a)?.checked_shl(b as u32 & 63)
}

macro_rules! widths {
    ($($t:ty),*) => {$({
        let mut random = Random(77);
        for _ in 0..12 {
            let (a, b) = (random.next().unwrap() as $t, (random.next().unwrap() >> 40) as $t);
            let (sum, over) = a.overflowing_add(b);
            let (product, lost) = a.overflowing_mul(b);
            let n = sum ^ product.rotate_right(3) ^ a.wrapping_sub(b).swap_bytes() ^ a.saturating_sub(b);
            let n = n ^ (a / (b | 1)) ^ (a.max(b) % (b | 1)) ^ a.reverse_bits() ^ (a >> (b & 7));
            report(n as u64);
            report((n as u128 >> 64) as u64 ^ u64::from(over) ^ u64::from(lost) << 1
                ^ u64::from(a.leading_zeros() * 100 + a.trailing_zeros() * 10 + a.count_ones()));
        }
    })*};
}

/// Uses instructions that every processor of this kind has, by name, as crates do.
#[cfg(target_arch = "x86_64")]
fn by_name(random: &mut Random) {
    use core::arch::x86_64::*;
    use core::hint::black_box;
    let wide = |v: __m128i| unsafe {
        report(_mm_cvtsi128_si64(v) as u64);
        report(_mm_cvtsi128_si64(_mm_unpackhi_epi64(v, v)) as u64);
    };
    let mut next = || black_box(random.next().unwrap());
    for round in 0..24i64 {
        let (a, b, carry) = (next(), if round % 5 == 0 { u64::MAX } else { next() }, (next() % 3) as u8);
        let (mut sum, mut narrow) = (0, 0);
        unsafe {
            report(u64::from(_addcarry_u64(carry, a, b, &mut sum)) ^ sum << 1);
            report(u64::from(_subborrow_u64(carry, a, b, &mut sum)) ^ sum << 1);
            report(u64::from(_addcarry_u32(carry, a as u32, b as u32, &mut narrow)) ^ u64::from(narrow) << 1);
            report(u64::from(_subborrow_u32(carry, a as u32, b as u32, &mut narrow)) ^ u64::from(narrow) << 1);
            let v = _mm_set_epi64x(a as i64, next() as i64);
            let by = _mm_set_epi64x(next() as i64, black_box(round * 3));
            for v in [_mm_sll_epi16(v, by), _mm_sll_epi32(v, by), _mm_sll_epi64(v, by)] {
                wide(v);
            }
            for v in [_mm_srl_epi16(v, by), _mm_srl_epi32(v, by), _mm_srl_epi64(v, by)] {
                wide(v);
            }
            for v in [_mm_sra_epi16(v, by), _mm_sra_epi32(v, by), _mm_slli_epi16(v, 5), _mm_srai_epi32(v, 9)] {
                wide(v);
            }
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn run() {
    widths!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128);
    let shapes = [
        Shape::Unit,
        Shape::Circle { r: 1.25 },
        Shape::Rect(2.5, -3.0),
        Shape::Tagged(9, None),
        Shape::Tagged(200, Some(-300)),
    ];
    let fixed = Fixed(-(1 << 90));
    let all: [&dyn Area; 6] = [&shapes[0], &shapes[1], &shapes[2], &shapes[3], &shapes[4], &fixed];
    for a in all {
        report(a.twice().to_bits());
    }
    for a in &shapes {
        for b in &shapes {
            report(a.partial_cmp(b).map_or(7, |o| o as i8 as u64));
        }
    }
    let mut values = [0u32; 37];
    for (v, r) in values.iter_mut().zip(Random(5)) {
        *v = (r >> 33) as u32;
    }
    report(mixed(&mut values));
    let mut same = values;
    same[5] ^= 1;
    report(u64::from(same == values) + values.iter().filter(|v| **v % 3 == 0).count() as u64 * 2);
    report(values.iter().position(|v| *v > 1 << 30).map_or(99, |p| p as u64));
    report(values.iter().map(|v| u64::from(*v)).sum::<u64>() ^ u64::from(*values.iter().max().unwrap()));
    let bytes: [u8; 64] = core::array::from_fn(|i| (i * i) as u8);
    report(u64::from_le_bytes(bytes[3..11].try_into().unwrap()));
    report(bytes.iter().rev().fold(0u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100000001b3)));
    for (a, b) in [(3, 4), (0, 1), (i32::MAX, 2), (-7, 9), (1 << 20, 1 << 12)] {
        report(checked(a, b).map_or(u64::MAX, |n| n as u64));
    }
    for x in [0.1f64, -2.5, 1e300, f64::NAN, -0.0, 123456.789] {
        report(x as i32 as u64);
        report((x as f32).to_bits() as u64 ^ (x as u8 as u64) << 32);
        report((x * 3.7 - x / 1.1).abs().max(-1.0).to_bits());
        report(u64::from(x < 1.0) + 2 * u64::from(x.is_sign_negative()) + 4 * u64::from(x != x));
    }
    let text = "Größe 12 ☂";
    report(text.chars().map(|c| c as u64).fold(1, |h, c| h * 33 % 1000003 + c));
    report(text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i as u64).sum());
    #[cfg(target_arch = "x86_64")]
    by_name(&mut Random(77));
}
