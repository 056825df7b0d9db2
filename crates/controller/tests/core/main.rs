//! The core against clients that lose answers, stores that fail, ports that refuse, and crashes.

mod anything;
mod by_hand;
mod discovery;
mod jobs;
mod several;
mod world;
