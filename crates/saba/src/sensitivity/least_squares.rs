//! Least squares by Householder reflections, for the few columns of a model.

/// Returns the coefficients `x` with the least sum of squares of `A x - y`. `rows` are the rows
/// of `A`, one for each value of `y`, and no fewer than the columns. Returns `None` if columns
/// are dependent.
///
/// Reflections keep the accuracy of the data; normal equations would square its condition.
pub(super) fn solve<const K: usize>(mut rows: Vec<[f64; K]>, mut y: Vec<f64>) -> Option<[f64; K]> {
    let n = rows.len();
    debug_assert!(n == y.len() && n >= K);
    let mut diagonal = [0.0; K];
    for k in 0..K {
        let scale = (0..n).map(|i| rows[i][k] * rows[i][k]).sum::<f64>().sqrt();
        let norm = (k..n).map(|i| rows[i][k] * rows[i][k]).sum::<f64>().sqrt();
        // The remainder of a dependent column is a rounding error.
        if norm <= scale * 1e-12 {
            return None;
        }
        let norm = if rows[k][k] > 0.0 { -norm } else { norm };
        diagonal[k] = norm;
        rows[k][k] -= norm;
        let length = -norm * rows[k][k];
        for j in k + 1..K {
            let dot: f64 = (k..n).map(|i| rows[i][k] * rows[i][j]).sum();
            for row in &mut rows[k..n] {
                row[j] -= dot / length * row[k];
            }
        }
        let dot: f64 = (k..n).map(|i| rows[i][k] * y[i]).sum();
        for i in k..n {
            y[i] -= dot / length * rows[i][k];
        }
    }
    let mut x = [0.0; K];
    for k in (0..K).rev() {
        let rest: f64 = (k + 1..K).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (y[k] - rest) / diagonal[k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dependent_columns_have_no_solution() {
        assert_eq!(solve(vec![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], vec![1.0, 2.0, 4.0]), None);
    }

    proptest! {
        /// The residual is orthogonal to every column, which defines least squares.
        #[test]
        fn residuals_are_orthogonal(
            data in prop::collection::vec((prop::array::uniform3(-1.0f64..1.0), -9.0f64..9.0), 5..20),
        ) {
            let (rows, y): (Vec<[f64; 3]>, Vec<f64>) = data.into_iter().unzip();
            let Some(x) = solve(rows.clone(), y.clone()) else { return Ok(()) };
            let size = 1.0 + x.iter().map(|x| x.abs()).sum::<f64>();
            for k in 0..3 {
                let dot: f64 = rows.iter().zip(&y).map(|(row, y)| {
                    let fitted: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                    row[k] * (y - fitted)
                }).sum();
                prop_assert!(dot.abs() < 1e-9 * size, "{dot}");
            }
        }
    }
}
