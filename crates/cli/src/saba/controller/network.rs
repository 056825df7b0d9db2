//! The network of a controller, as its settings name it.

use crate::failure::Failure;
use crate::lab;
use anyhow::Error;
use bandwise_controller::settings::Network;
use bandwise_enforce::htb::Marks;
use bandwise_enforce::tc::{LinuxTc, Namespaces};

/// Which mark packets of a level carry.
pub fn marks() -> Marks {
    Marks::local()
}

/// Who holds its ports. Nothing is read yet.
pub fn switches(network: &Network) -> Result<LinuxTc, Failure> {
    match network {
        Network::Lab(name) => {
            lab::needs_root()?;
            Ok(lab::open(name)?.switches_with(marks()).map_err(Error::from)?)
        }
        Network::Ports(ports) => Ok(LinuxTc::new(ports.clone(), marks(), Namespaces::default())),
    }
}
