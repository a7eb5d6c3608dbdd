//! Half precision (IEEE 754 binary16), to and from.

/// The nearest half-precision number, the even one of two; infinite beyond
/// 65,504.
#[must_use]
pub fn to_half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        return sign | 0x7E00;
    }
    // From the middle between the largest half and the next power of two.
    if magnitude >= 0x477F_F000 {
        return sign | 0x7C00;
    }
    // Below 2^-14 the distance between halves is 2^-24: adding 1/2 leaves as
    // many bits, rounded by the processor.
    if magnitude < 0x3880_0000 {
        let rounded = f32::from_bits(magnitude) + 0.5;
        return sign | (rounded.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude + 0x0FFF + odd - ((127 - 15) << 23);
    sign | (rounded >> 13) as u16
}

/// A half-precision number, exactly.
pub(super) fn from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let magnitude = u32::from(half & 0x7FFF);
    let bits = if magnitude >= 0x7C00 {
        0x7F80_0000 | (magnitude & 0x3FF) << 13
    } else if magnitude >= 0x400 {
        (magnitude << 13) + ((127 - 15) << 23)
    } else {
        (magnitude as f32 / (1u32 << 24) as f32).to_bits()
    };
    f32::from_bits(sign | bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives() {
        for half in 0..=u16::MAX {
            let number = from_half(half);
            if number.is_nan() {
                assert!(from_half(to_half(number)).is_nan());
            } else {
                assert_eq!(to_half(number), half, "{number}");
            }
        }
        assert_eq!(
            (from_half(0x3C00), from_half(0xC000), from_half(1)),
            (1.0, -2.0, 2f32.powi(-24))
        );
    }

    #[test]
    fn the_nearest_is_taken() {
        for half in 0..0x7BFF_u16 {
            let (low, high) = (from_half(half), from_half(half + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(to_half(middle), half + (half & 1), "{middle}");
            assert_eq!(to_half(middle.next_down()), half);
            assert_eq!(to_half(middle.next_up()), half + 1);
        }
        assert_eq!(from_half(to_half(65_519.0)), 65_504.0);
        assert_eq!(from_half(to_half(-65_520.0)), f32::NEG_INFINITY);
    }
}
