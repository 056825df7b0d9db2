//! [`reason`]: an error of the operating system in a message.

/// Returns the text of an error of the operating system without its number.
///
/// ```
/// let error = std::io::Error::from_raw_os_error(2);
/// assert_eq!(error.to_string(), "No such file or directory (os error 2)");
/// assert_eq!(bandwise_input::reason(&error), "No such file or directory");
/// ```
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
