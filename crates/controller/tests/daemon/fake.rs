//! Two ports that do as they are told, or hang.

use bandwise_enforce::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
use bandwise_saba::controller::{PortConfig, PortId};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU8;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

pub const TABLE: &str = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n";

/// What stands at ports.
pub type Ports = Arc<Mutex<BTreeMap<PortId, PortConfig>>>;

/// Two ports. What is written passes the gate: the writer waits until it is told how it goes.
pub struct Fake {
    pub ports: Ports,
    pub gate: Option<Receiver<bool>>,
}

pub struct FakePlan(PortId, PortConfig, bool);

impl fmt::Display for FakePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.1)
    }
}

impl Plan for FakePlan {
    fn is_empty(&self) -> bool {
        !self.2
    }
}

impl Switches for Fake {
    type Plan = FakePlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        let queues = NonZeroU8::new(2).unwrap();
        let port = |id: &PortId| Port { id: *id, name: format!("p{}", id.0), queues };
        Ok(self.ports.lock().unwrap().keys().map(port).collect())
    }

    fn path(&mut self, _: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        match to {
            "h0" => Ok(vec![PortId(0)]),
            "h1" => Ok(vec![PortId(1)]),
            _ => Err(Fault::NoSuchHost(to.into())),
        }
    }

    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<FakePlan, Fault> {
        let config = match wanted {
            // The only weight in lowest terms.
            Wanted::Shared(config) => {
                PortConfig { weights: vec![1; config.weights.len()], ..config.clone() }
            }
            Wanted::AsFound => PortConfig::default(),
        };
        let differs = self.ports.lock().unwrap()[&port] != config;
        Ok(FakePlan(port, config, differs))
    }

    fn apply(&mut self, plan: &FakePlan) -> Result<Applied, Fault> {
        let is_written = plan.2;
        if let Some(gate) = self.gate.as_ref().filter(|_| is_written)
            && !gate.recv().unwrap_or(false)
        {
            let (port, said) = (format!("p{}", plan.0.0), "no".into());
            return Err(Fault::Refused { port, said, left: Left::AsBefore });
        }
        self.ports.lock().unwrap().insert(plan.0, plan.1.clone());
        Ok(Applied { is_written, config: plan.1.clone() })
    }

    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault> {
        Ok(self.ports.lock().unwrap()[&port].clone())
    }
}

pub fn ports() -> Ports {
    let ports = [PortId(0), PortId(1)].map(|port| (port, PortConfig::default()));
    Arc::new(Mutex::new(ports.into()))
}
