//! Files with size distributions in both formats, and invalid files.

use bandwise_input::Source;
use bandwise_workload::{SizeDistribution, Spread, read};

fn read(text: &str) -> Result<SizeDistribution, String> {
    read::cdf(&Source::new("sizes.txt", text), Spread::Uniform).map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text).unwrap_err()
}

#[test]
fn fractions_and_percent_are_the_same() {
    let expected = read("0 0\n100 15\n1000 60\n2000 100\n").unwrap();
    for text in [
        "0 0\n100 0.15\n1000 0.6\n2000 1",
        "# bytes fraction\n\n  0\t0.0 # nothing\r\n100   .15\r\n1e3 6e-1\r\n2000.0 1.00\r\n",
        "0,0\n100, 15\n1000 ,60\n2000,100\n",
    ] {
        assert_eq!(read(text).unwrap(), expected, "{text}");
    }
    assert!((expected.mean() - (0.15 * 50.5 + 0.45 * 550.5 + 0.4 * 1500.5)).abs() < 1e-9);
}

#[test]
fn spread_interpolates_between_points() {
    let read = |spread| read::cdf(&Source::new("f", "10 0\n1000 1"), spread).unwrap();
    assert_eq!(read(Spread::Uniform).quantile(0.5).get(), 505);
    assert_eq!(read(Spread::LogUniform).quantile(0.5).get(), 100);
}

#[test]
fn invalid_distributions_are_refused() {
    insta::assert_snapshot!(refused(""), @"sizes.txt:1: too few points for a distribution: 0 (allowed: two or more points)");
    insta::assert_snapshot!(refused("# nothing\n"), @"sizes.txt:1: too few points for a distribution: 0 (allowed: two or more points)");
    insta::assert_snapshot!(refused("0 0\n"), @"sizes.txt:1: too few points for a distribution: 1 (allowed: two or more points)");
    insta::assert_snapshot!(refused("0 0\n10 0.5\n20 0.99\n# end\n"), @"sizes.txt:3: the distribution ends at 0.99 (allowed: 1 at the last point where shares are fractions, 100 where they are percent)");
    insta::assert_snapshot!(refused("0 0\n10 50\n20 1\n"), @"sizes.txt:2: a share of 50 (allowed: 0 to 1, as the last point has 1)");
    insta::assert_snapshot!(refused("0 0\n10 60\n20 53\n30 100\n"), @"sizes.txt:3: the share falls from 60 to 53 (allowed: shares that rise or stay from point to point)");
    insta::assert_snapshot!(refused("0 0\n\n10 0.5\n9 1\n"), @"sizes.txt:4: the size falls from 10 to 9 bytes (allowed: sizes that rise or stay from point to point)");
    insta::assert_snapshot!(refused("0 0.1\n10 1\n"), @"sizes.txt:1: a share of 0.1 of flows with 0 bytes (allowed: a share of 0 at a size of 0: flows have 1 byte or more)");
}

#[test]
fn invalid_points_are_refused() {
    insta::assert_snapshot!(refused("size cdf\n0 0\n10 1\n"), @r#"sizes.txt:1: a size is "size" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("1 1 0\n10 1 1\n"), @"sizes.txt:1: this looks like a size file of ns-2, in three columns (allowed: lines of a size in bytes and a share: the first column (times the packet's payload if it counts packets), and the third)");
    insta::assert_snapshot!(refused("0\n10 1\n"), @"sizes.txt:1: 1 value in a line (allowed: a size in bytes and a share of flows, such as 10000 0.15)");
    insta::assert_snapshot!(refused("0,,0\n10 1\n"), @"sizes.txt:1: 3 values in a line (allowed: a size in bytes and a share of flows, such as 10000 0.15)");
    insta::assert_snapshot!(refused("0 0\n10 1%\n"), @r#"sizes.txt:2: a share is "1%" (allowed: a number from 0 to 1, or to 100)"#);
    insta::assert_snapshot!(refused("0 0\n1.5 1\n"), @r#"sizes.txt:2: a size is "1.5" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("-1 0\n10 1\n"), @r#"sizes.txt:1: a size is "-1" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("0 nan\n10 1\n"), @r#"sizes.txt:1: a share is "nan" (allowed: a number from 0 to 1, or to 100)"#);
    insta::assert_snapshot!(refused("0 0\n9223372036854775808 1\n"), @r#"sizes.txt:2: a size is "9223372036854775808" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
}
