//! [`Kinds`]: what is known of applications, each once.

use super::Profile;
use super::numbers::Numbers;
use super::shares::ModelKey;
use crate::table::Application;

/// The profiles that applications have, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Kinds {
    numbers: Numbers<Key>,
    all: Vec<Kind>,
}

#[derive(Debug, Clone)]
struct Kind {
    profile: Profile,
    /// How many applications have it.
    applications: u32,
}

/// What a profile is, with an order.
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
    /// An application has this profile; the number of it.
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

    /// An application that had this profile is gone.
    pub(super) fn leave(&mut self, number: u32) {
        let kind = &mut self.all[number as usize];
        kind.applications -= 1;
        if kind.applications == 0 {
            self.numbers.release(&Key::of(&kind.profile));
        }
    }

    /// A profile that some application has.
    pub(super) fn profile(&self, number: u32) -> &Profile {
        &self.all[number as usize].profile
    }

    /// The number of the profile with this name, if an application has it.
    pub(super) fn named(&self, name: &Application) -> Option<u32> {
        self.numbers.of(&Key::Named(name.clone()))
    }

    /// All profiles that applications have, and their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &Profile)> {
        let used = (0..).zip(&self.all).filter(|of| of.1.applications > 0);
        used.map(|(number, kind)| (number, &kind.profile))
    }

    /// One more than the largest number of any.
    pub(super) fn end(&self) -> usize {
        self.all.len()
    }
}
