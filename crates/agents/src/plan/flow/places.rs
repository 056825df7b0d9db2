//! The hosts of a `[[flow]]`, by name.

use super::super::Host;
use bandwise_input::{InputError, Source};
use bandwise_scenario::values::HostNames;
use toml::Spanned;

/// Returns the indices of hosts in the plan.
pub(super) fn places(
    source: &Source,
    hosts: &[Host],
    names: &HostNames,
) -> Result<Vec<usize>, InputError> {
    let place = |name: &Spanned<String>| {
        let found = hosts.iter().position(|host| host.name == *name.get_ref());
        found.ok_or_else(|| {
            let error = source.error(name.span(), format!("there is no host {:?}", name.get_ref()));
            let known: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).take(9).collect();
            error.allowed(match known.len() {
                0 => "[[host]] with that name and the address of its agent".to_owned(),
                _ => known.join(", "),
            })
        })
    };
    let list = match names {
        HostNames::One(name) => return Ok(vec![place(name)?]),
        HostNames::Each(list) => list,
    };
    let mut found = Vec::new();
    for name in list.get_ref() {
        let host = place(name)?;
        if found.contains(&host) {
            let message = format!("{:?} stands there twice", name.get_ref());
            return Err(source.error(name.span(), message).allowed("each host once"));
        }
        found.push(host);
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(source.error(list.span(), "the list is empty").allowed("one host or more")),
    }
}
