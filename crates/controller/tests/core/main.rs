//! What the daemon decides, against clients that lose answers, stores that fail, ports that refuse, and crashes.

mod anything;
mod by_hand;
mod jobs;
mod seen;
mod several;
mod world;
