//! Small dense matrices.

/// The inverse of a symmetric positive-definite matrix, given by rows, by
/// elimination (Gauss-Jordan; such a matrix needs no exchange of rows). None if it
/// is not square, or too near to a singular one.
#[must_use]
pub(super) fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    if matrix.iter().any(|row| row.len() != size) {
        return None;
    }
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == index))));
    }
    for index in 0..size {
        let mut pivot_row = std::mem::take(&mut matrix[index]);
        let pivot = pivot_row[index];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        pivot_row.iter_mut().for_each(|value| *value /= pivot);
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[index];
            row.iter_mut().zip(&pivot_row).for_each(|(value, other)| *value -= factor * other);
        }
        matrix[index] = pivot_row;
    }
    let inverse: Vec<Vec<f64>> = matrix.iter().map(|row| row[size..].to_vec()).collect();
    inverse.iter().flatten().all(|value| value.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        // Hilbert's, which is hard; its inverse begins with 16, -120 (known in closed form).
        let hilbert = |row, column| 1.0 / f64::from(row + column + 1);
        let rows = (0..4).map(|row| (0..4).map(|column| hilbert(row, column)).collect()).collect();
        let inverse = inverse(rows).unwrap();
        assert!((inverse[0][0] - 16.0).abs() < 1e-8 && (inverse[0][1] + 120.0).abs() < 1e-8);
        for row in 0..4 {
            for column in 0..4 {
                let product: f64 =
                    (0..4).map(|k| hilbert(row, k) * inverse[k as usize][column as usize]).sum();
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn no_inverse_is_none() {
        assert_eq!(inverse(vec![vec![1.0, 1.0], vec![1.0, 1.0]]), None);
        assert_eq!(inverse(vec![vec![f64::NAN]]), None);
        assert_eq!(inverse(vec![vec![1.0], vec![1.0, 2.0]]), None);
        assert_eq!(inverse(Vec::new()), Some(Vec::new()));
    }
}
