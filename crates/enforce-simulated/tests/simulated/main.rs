//! A network in memory: its ports, and what connections get over them.

mod by_hand;
mod fabrics;
mod filling;
mod host_names;
mod packets;
mod ports;
mod refused;
