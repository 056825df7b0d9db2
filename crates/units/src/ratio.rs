//! Numbers of which only the ratios matter, such as weights.

/// Divides numbers by their greatest common divisor: the smallest numbers of the same ratios. Zeros
/// stay zero.
pub fn lowest_terms(numbers: &[u32]) -> Vec<u32> {
    let common = numbers.iter().copied().fold(0, greatest_common_divisor).max(1);
    numbers.iter().map(|number| number / common).collect()
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_terms_preserve_ratios() {
        assert_eq!(lowest_terms(&[85, 255, 170]), [1, 3, 2]);
        assert_eq!(lowest_terms(&[6, 0, 9]), [2, 0, 3]);
        assert_eq!(lowest_terms(&[7, 12]), [7, 12]);
        assert_eq!(lowest_terms(&[0, 0]), [0, 0]);
        assert_eq!(lowest_terms(&[]), []);
    }
}
