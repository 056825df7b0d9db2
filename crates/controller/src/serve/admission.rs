//! [`Admission`]: who may call, as the settings say now.

use super::tls::Tls;
use crate::credentials::Credentials;
use crate::present::Present;
use crate::settings::Settings;
use bandwise_files::FileError;
use std::fmt::Display;
use std::net::SocketAddr;

/// The credentials and the TLS configuration of the remote listener. A reload replaces both. Clones share them.
#[derive(Debug, Clone)]
pub struct Admission {
    /// The credentials.
    pub credentials: Present<Credentials>,
    /// The TLS configuration, if the remote listener has one.
    pub tls: Present<Option<Tls>>,
    place: Place,
}

/// The address of the remote listener, and whether it has TLS.
type Place = Option<(SocketAddr, bool)>;

fn place(settings: &Settings) -> Place {
    settings.remote.as_ref().map(|remote| (remote.listen, remote.tls.is_some()))
}

/// Returns the credentials and the TLS configuration of these settings.
fn read(settings: &Settings) -> Result<(Credentials, Option<Tls>), FileError> {
    let credentials = Credentials::new(&settings.credentials);
    let files = settings.remote.as_ref().and_then(|remote| remote.tls.as_ref());
    let tls = files.map(|files| Tls::read(files, &credentials)).transpose()?;
    Ok((credentials, tls))
}

impl Admission {
    /// Reads the files that the settings name.
    ///
    /// # Errors
    ///
    /// Returns a [`FileError`] if a file is missing, unreadable or invalid, or if everyone may read the key.
    pub fn read(settings: &Settings) -> Result<Self, FileError> {
        let (credentials, tls) = read(settings)?;
        let (credentials, tls) = (Present::new(credentials), Present::new(tls));
        Ok(Admission { credentials, tls, place: place(settings) })
    }

    /// Returns what was not checked in the files, and what makes them useless now.
    pub fn doubts(&self) -> Vec<String> {
        let (tls, _) = self.tls.until_replaced();
        tls.as_ref().as_ref().map_or(Vec::new(), |tls| tls.doubts().to_vec())
    }

    /// Replaces the credentials and the TLS configuration by those of other settings. Remote connections end after the
    /// request that they serve. The log has the outcome; after an error nothing has changed.
    pub fn reload<E: Display>(&self, settings: Result<Settings, E>) {
        let settings = match settings {
            Ok(settings) => settings,
            Err(error) => return tracing::error!(%error, "credentials not reloaded"),
        };
        if place(&settings) != self.place {
            let error = "another address or encryption in [remote] needs a restart";
            return tracing::error!(error, "credentials not reloaded");
        }
        match read(&settings) {
            Ok((credentials, tls)) => {
                self.credentials.replace(credentials);
                self.tls.replace(tls);
                for doubt in self.doubts() {
                    tracing::warn!("{doubt}");
                }
                let names: Vec<&str> =
                    settings.credentials.iter().map(|of| of.name.as_str()).collect();
                tracing::info!(credentials = names.join(", "), "credentials reloaded");
            }
            Err(error) => tracing::error!(%error, "credentials not reloaded"),
        }
    }
}
