//! Files with size distributions in both formats, and invalid files.

use bandwise_input::Source;
use bandwise_units::Bytes;
use bandwise_workload::{SizeDistribution, Spread, read};

const BYTE: Bytes = Bytes::new(1);

fn read(text: &str) -> Result<SizeDistribution, String> {
    read::cdf(&Source::new("sizes.txt", text), Spread::Uniform, BYTE)
        .map_err(|error| error.to_string())
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
    let read = |spread| read::cdf(&Source::new("f", "10 0\n1000 1"), spread, BYTE).unwrap();
    assert_eq!(read(Spread::Uniform).quantile(0.5).get(), 505);
    assert_eq!(read(Spread::LogUniform).quantile(0.5).get(), 100);
}

/// Half of the flows have 1 packet of 1460 B, the others up to 3: 0.5 x 1460 + 0.5 x (1461 + 4380) / 2.
#[test]
fn sizes_in_packets_are_multiples_of_the_unit() {
    let read = |text| read::cdf(&Source::new("f", text), Spread::Uniform, Bytes::new(1460));
    let sizes = read("1 0.5\n3 1\n").unwrap();
    assert_eq!((sizes.least().get(), sizes.most().get()), (1460, 4380));
    assert!((sizes.mean() - (0.5 * 1460.0 + 0.5 * 2920.5)).abs() < 1e-9, "{}", sizes.mean());
    let refused = |text| read(text).unwrap_err().to_string();
    insta::assert_snapshot!(refused("1.5 0.5\n3 1\n"), @r#"f:1: a size is "1.5" (allowed: whole units of 1460 B from 0 to 753090156, which is 2^40 bytes)"#);
    insta::assert_snapshot!(refused("1 0.5\n800000000 1\n"), @r#"f:2: a size is "800000000" (allowed: whole units of 1460 B from 0 to 753090156, which is 2^40 bytes)"#);
}

/// The formats of other simulators, and shares that fall in the middle of a file.
#[test]
fn other_simulators_files_are_refused_by_name() {
    insta::assert_snapshot!(refused("1290.0\n50 0.4\n2000 1\n"), @"sizes.txt:1: this looks like a size file of Homa's simulator, with the mean in its first line (allowed: lines of a size and a share: delete the first line, and compare the mean that Bandwise prints with it)");
    insta::assert_snapshot!(refused("1 1 0\n2 1 0.5\n40 1 1\n"), @r#"sizes.txt:1: this looks like a size file of ns-2, in three columns (allowed: lines of a size and a share: the first column and the third; sizes in packets need their payload as unit beside cdf, such as { cdf = "FILE", unit = "1460 B" })"#);
    insta::assert_snapshot!(refused("100 0.2\n200 0.6\n300 0.5\n400 1\n"), @"sizes.txt:3: the share falls from 0.6 to 0.5 (allowed: shares that rise or stay from point to point)");
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
    insta::assert_snapshot!(refused("1 1 0\n10 1 1\n"), @r#"sizes.txt:1: this looks like a size file of ns-2, in three columns (allowed: lines of a size and a share: the first column and the third; sizes in packets need their payload as unit beside cdf, such as { cdf = "FILE", unit = "1460 B" })"#);
    insta::assert_snapshot!(refused("0\n10 1\n"), @"sizes.txt:1: 1 value in a line (allowed: a size in bytes and a share of flows, such as 10000 0.15)");
    insta::assert_snapshot!(refused("0,,0\n10 1\n"), @"sizes.txt:1: 3 values in a line (allowed: a size in bytes and a share of flows, such as 10000 0.15)");
    insta::assert_snapshot!(refused("0 0\n10 1%\n"), @r#"sizes.txt:2: a share is "1%" (allowed: a number from 0 to 1, or to 100)"#);
    insta::assert_snapshot!(refused("0 0\n1.5 1\n"), @r#"sizes.txt:2: a size is "1.5" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("-1 0\n10 1\n"), @r#"sizes.txt:1: a size is "-1" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
    insta::assert_snapshot!(refused("0 nan\n10 1\n"), @r#"sizes.txt:1: a share is "nan" (allowed: a number from 0 to 1, or to 100)"#);
    insta::assert_snapshot!(refused("0 0\n9223372036854775808 1\n"), @r#"sizes.txt:2: a size is "9223372036854775808" (allowed: whole bytes from 0 to 1099511627776, which is 2^40)"#);
}
