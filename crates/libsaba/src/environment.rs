//! Variables of the environment that tell a program under Saba what it is: what `bandwise saba run` and plugins set, and
//! libraries read.

/// Where the controller is: `unix:PATH`, `http://HOST:PORT` or `https://HOST:PORT`; several, separated by commas.
pub const CONTROLLER: &str = "SABA_CONTROLLER";
/// The file with the token that is shown to it.
pub const TOKEN_FILE: &str = "SABA_TOKEN_FILE";
/// Certificates, in PEM, of who signs those of controllers at `https`.
pub const CA_FILE: &str = "SABA_CA_FILE";
/// The certificate that is shown to those, in PEM.
pub const CERTIFICATE_FILE: &str = "SABA_CERTIFICATE_FILE";
/// Its key, which others must not be able to read.
pub const KEY_FILE: &str = "SABA_KEY_FILE";
/// What the controller calls this host.
pub const HOST: &str = "SABA_HOST";
/// The application's name in the sensitivity table.
pub const APP: &str = "SABA_APP";
/// The job: processes with one name and one job are one application.
pub const JOB: &str = "SABA_JOB";
/// On how many hosts the application runs.
pub const NODES: &str = "SABA_NODES";
/// On how much data it works.
pub const DATASET: &str = "SABA_DATASET";
/// The [mark](crate::Mark) that a controller said to who started the program, so that it need not be asked for.
pub const MARK: &str = "SABA_MARK";
/// A file that says which address is which host's, as /etc/hosts does.
pub const HOSTS: &str = "SABA_HOSTS";
/// A file to which the preloaded library appends what it says to the controller and what that refuses.
pub const LOG: &str = "SABA_LOG";
