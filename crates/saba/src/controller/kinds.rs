//! [`Kinds`]: the profiles of applications, each once.

use super::Profile;
use super::numbers::Numbers;
use super::shares::ModelKey;
use crate::table::Application;

/// The profiles in use, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Kinds {
    numbers: Numbers<Key>,
    all: Vec<Kind>,
}

#[derive(Debug, Clone)]
struct Kind {
    profile: Profile,
    /// The number of applications with the profile.
    applications: u32,
}

/// The ordered key of a profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Named(Application),
    Model(ModelKey),
}

impl Key {
    fn of(profile: &Profile) -> Key {
        match profile {
            Profile::Named(name) => Key::Named(name.clone()),
            Profile::Model(model) => Key::Model(ModelKey::of(model)),
        }
    }
}

impl Kinds {
    /// Adds an application with this profile, and returns the profile's number.
    pub(super) fn join(&mut self, profile: Profile) -> u32 {
        let number = self.numbers.give(Key::of(&profile));
        let kind = Kind { profile, applications: 1 };
        match self.all.get_mut(number as usize) {
            Some(known) if known.applications > 0 => known.applications += 1,
            Some(unused) => *unused = kind,
            None => self.all.push(kind),
        }
        number
    }

    /// Removes an application with this profile.
    pub(super) fn leave(&mut self, number: u32) {
        let kind = &mut self.all[number as usize];
        kind.applications -= 1;
        if kind.applications == 0 {
            self.numbers.release(&Key::of(&kind.profile));
        }
    }

    /// Returns a profile in use.
    pub(super) fn profile(&self, number: u32) -> &Profile {
        &self.all[number as usize].profile
    }

    /// Returns the number of the profile with this name, if the profile is in
    /// use.
    pub(super) fn named(&self, name: &Application) -> Option<u32> {
        self.numbers.of(&Key::Named(name.clone()))
    }

    /// Iterates over all profiles in use, with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Profile)> {
        let used = (0..).zip(&self.all).filter(|of| of.1.applications > 0);
        used.map(|(number, kind)| (number, &kind.profile))
    }

    /// Returns one more than the largest number in use.
    pub(super) fn end(&self) -> usize {
        self.all.len()
    }
}
