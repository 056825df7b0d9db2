//! [`Kinds`]: the profiles of applications with their tenants, each once.

use super::numbers::Numbers;
use super::shares::ModelKey;
use super::{Profile, Tenant};
use crate::table::Application;

/// The profiles in use with their tenants, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Kinds {
    numbers: Numbers<Key>,
    all: Vec<Kind>,
}

#[derive(Debug, Clone)]
struct Kind {
    profile: Profile,
    tenant: Tenant,
    /// The number of applications with the profile.
    applications: u32,
}

/// The ordered key of a tenant's profile.
type Key = (ProfileKey, Tenant);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ProfileKey {
    Named(Application),
    Model(ModelKey),
}

impl ProfileKey {
    fn of(profile: &Profile) -> ProfileKey {
        match profile {
            Profile::Named(name) => ProfileKey::Named(name.clone()),
            Profile::Model(model) => ProfileKey::Model(ModelKey::of(model)),
        }
    }
}

impl Kinds {
    /// Adds a tenant's application with this profile, and returns the number of both.
    pub(super) fn join(&mut self, profile: Profile, tenant: Tenant) -> u32 {
        let number = self.numbers.give((ProfileKey::of(&profile), tenant.clone()));
        let kind = Kind { profile, tenant, applications: 1 };
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
            self.numbers.release(&(ProfileKey::of(&kind.profile), kind.tenant.clone()));
        }
    }

    /// Returns a profile in use.
    pub(super) fn profile(&self, number: u32) -> &Profile {
        &self.all[number as usize].profile
    }

    /// Returns the tenant of a profile in use.
    pub(super) fn tenant(&self, number: u32) -> &Tenant {
        &self.all[number as usize].tenant
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
