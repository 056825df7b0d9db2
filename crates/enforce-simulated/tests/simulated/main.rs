//! A network in memory: its ports, and what connections get over them.

mod agree;
mod by_hand;
mod fabrics;
mod filling;
mod named;
mod ports;
mod refused;
