//! Values of the command's flags.

use crate::failure::Failure;
use crate::values::{Refusal, refused};
use bandwise_enforce::infiniband::{Lanes, listed};
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::PriorityLevel;
use std::collections::BTreeSet;

/// Service levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sls(pub Vec<Sl>);

/// Virtual lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vls(pub Vec<Vl>);

/// A device and its port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Device {
    pub name: Option<String>,
    pub port: Option<u8>,
}

/// Service levels of a queue, and its weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Queue {
    sls: Vec<Sl>,
    weight: u8,
}

pub(super) fn sls(text: &str) -> Result<Sls, Refusal> {
    listed(text).map_or_else(
        || refused(None, "service levels from 1 to 15, such as 1-8 or 1,2"),
        |all| Ok(Sls(all)),
    )
}

pub(super) fn lanes(text: &str) -> Result<Vls, Refusal> {
    listed(text)
        .map_or_else(|| refused(None, "lanes from 1 to 14, such as 1-4 or 1,2"), |all| Ok(Vls(all)))
}

pub(super) fn device(text: &str) -> Result<Device, Refusal> {
    let read = || {
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => (name, Some(port.parse().ok().filter(|&port: &u8| port > 0)?)),
            None => (text, None),
        };
        (!name.is_empty()).then(|| Device { name: Some(name.to_owned()), port })
    };
    read().map_or_else(
        || refused(None, "a device's name and a port from 1, such as mlx5_0 or mlx5_0:1"),
        Ok,
    )
}

pub(super) fn queue(text: &str) -> Result<Queue, Refusal> {
    let read = || {
        let (sls, weight) = text.split_once('=')?;
        let weight = weight.trim().parse().ok().filter(|&weight| weight > 0)?;
        Some(Queue { sls: listed(sls)?, weight })
    };
    read().map_or_else(
        || refused(None, "a service level and a weight from 1 to 255, such as 1=3 or 1,4=3"),
        Ok,
    )
}

/// Returns the configuration of a port. Refuses a service level that is given twice or is not in
/// `given`, and more queues than lanes.
pub(super) fn config(queues: &[Queue], given: &Lanes) -> Result<PortConfig, Failure> {
    let most = given.vls().len();
    if queues.len() > most {
        let message = format!("{} weights, each of which needs a lane", queues.len());
        return Err(Failure::usage(
            message,
            format!("up to {most}, which --lanes has; service levels can share one: 1,4=3"),
        ));
    }
    let (mut seen, mut table) = (BTreeSet::new(), Vec::new());
    for (at, sl) in
        (0u8..).zip(queues).flat_map(|(at, queue)| queue.sls.iter().map(move |&sl| (at, sl)))
    {
        let Some(level) = given.sls().iter().position(|&own| own == sl) else {
            let sls: Vec<String> = given.sls().iter().map(|sl| sl.get().to_string()).collect();
            let message = format!("SL {} is not one of --sls", sl.get());
            return Err(Failure::usage(message, sls.join(", ")));
        };
        if !seen.insert(sl) {
            return Err(Failure::usage(
                format!("SL {} has two weights", sl.get()),
                "one for each service level",
            ));
        }
        table.push((PriorityLevel(level as u16), at));
    }
    let weights = queues.iter().map(|queue| queue.weight).collect();
    Ok(PortConfig { table: table.into_iter().collect(), weights })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> Lanes {
        Lanes::new(sls("2-4").unwrap().0, lanes("1,2").unwrap().0).unwrap()
    }

    #[test]
    fn weights_are_read_or_refused() {
        let queues: Vec<Queue> = ["2,4=3", " 3 = 255"].map(|text| queue(text).unwrap()).into();
        let read = config(&queues, &given()).unwrap();
        let table: Vec<(u16, u8)> = read.table.iter().map(|(level, at)| (level.0, at)).collect();
        assert_eq!((table, read.weights), (vec![(0, 0), (1, 1), (2, 0)], vec![3, 255]));
        for text in ["2", "2=", "=3", "16=1", "2=0", "2=256", "2,=1", "a=1", "2=-1", "4-2=1"] {
            assert!(queue(text).is_err(), "{text}");
        }
        for wrong in [&["2=1", "3,2=2"][..], &["1=1"], &["2=1", "3=1", "4=1"]] {
            let queues: Vec<Queue> = wrong.iter().map(|text| queue(text).unwrap()).collect();
            assert!(config(&queues, &given()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sl_lists_lanes_and_devices_are_read() {
        let numbers =
            |text: &str| sls(text).map(|all| all.0.iter().map(|sl| sl.get()).collect::<Vec<_>>());
        assert_eq!(numbers("1, 3-5,15").unwrap(), [1, 3, 4, 5, 15]);
        assert!(["", "1-", "3-1", "16", "0-255", "x"].iter().all(|text| sls(text).is_err()));
        assert!(lanes("15").is_err() && lanes("14").is_ok());
        let of = |name: &str, port| Device { name: Some(name.into()), port };
        assert_eq!(device("mlx5_0").unwrap(), of("mlx5_0", None));
        assert_eq!(device("mlx5_0:2").unwrap(), of("mlx5_0", Some(2)));
        assert!(["", ":1", "a:0", "a:b"].iter().all(|text| device(text).is_err()));
    }
}
