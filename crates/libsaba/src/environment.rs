//! Environment variables of a program under Saba. `bandwise saba run` and plugins set them; libraries read them.

/// The controller's endpoints: `unix:PATH`, `http://HOST:PORT` or `https://HOST:PORT`, separated by commas.
pub const CONTROLLER: &str = "SABA_CONTROLLER";
/// The file with the token for the controller.
pub const TOKEN_FILE: &str = "SABA_TOKEN_FILE";
/// The authorities, in PEM, of the certificates of `https` controllers.
pub const CA_FILE: &str = "SABA_CA_FILE";
/// The client certificate for `https` controllers, in PEM.
pub const CERTIFICATE_FILE: &str = "SABA_CERTIFICATE_FILE";
/// The key of the client certificate; others must not be able to read it.
pub const KEY_FILE: &str = "SABA_KEY_FILE";
/// The controller's name for this host.
pub const HOST: &str = "SABA_HOST";
/// The application's name in the sensitivity table.
pub const APP: &str = "SABA_APP";
/// The job: processes with the same name and job are one application.
pub const JOB: &str = "SABA_JOB";
/// The number of hosts that the application runs on.
pub const NODES: &str = "SABA_NODES";
/// The amount of data that the application works on.
pub const DATASET: &str = "SABA_DATASET";
/// The [mark](crate::Mark) that a controller has assigned to the program's starter, so that the first connections are
/// marked without a request.
pub const MARK: &str = "SABA_MARK";
/// A file that maps addresses to host names, in the format of /etc/hosts.
pub const HOSTS: &str = "SABA_HOSTS";
/// The file to which the preloaded library appends its messages and the controller's refusals.
pub const LOG: &str = "SABA_LOG";
