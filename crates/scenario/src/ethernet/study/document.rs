//! Changes of a TOML document before it is read. Inserted values keep their place in the text.

use bandwise_input::{InputError, Source};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A key as a path, each part with its place.
pub(super) type Path<'a> = Vec<Spanned<DeString<'a>>>;

/// A change: a key and its value.
pub(super) type Change<'a> = (Path<'a>, Spanned<DeValue<'a>>);

/// Replaces values, and creates missing tables.
pub(super) fn change<'a>(document: &mut DeTable<'a>, changes: &[Change<'a>]) {
    for (path, value) in changes {
        put(document, path, value);
    }
}

fn put<'a>(table: &mut DeTable<'a>, path: &[Spanned<DeString<'a>>], value: &Spanned<DeValue<'a>>) {
    let Some((key, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        // The key is replaced too, because the error of an unknown key has the place of the key.
        table.remove(key.get_ref().as_ref());
        table.insert(key.clone(), value.clone());
        return;
    }
    let is_table = |value: &Spanned<DeValue>| matches!(value.get_ref(), DeValue::Table(_));
    if !table.get(key.get_ref().as_ref()).is_some_and(is_table) {
        table.remove(key.get_ref().as_ref());
        let made = Spanned::new(value.span(), DeValue::Table(DeTable::new()));
        table.insert(key.clone(), made);
    }
    if let Some(DeValue::Table(inner)) = table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut)
    {
        put(inner, rest, value);
    }
}

/// Returns the entries of a table in the order of the text.
pub(super) fn entries<'t, 'a>(
    table: &'t DeTable<'a>,
) -> Vec<(&'t Spanned<DeString<'a>>, &'t Spanned<DeValue<'a>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Returns a key with dots, also in quotes, as a path.
pub(super) fn path<'a>(
    source: &Source,
    before: &[Spanned<DeString<'a>>],
    key: &Spanned<DeString<'a>>,
) -> Result<Path<'a>, InputError> {
    let part = |part: &str| Spanned::new(key.span(), DeString::Owned(part.to_owned()));
    let path: Path = before.iter().cloned().chain(key.get_ref().split('.').map(part)).collect();
    if path.len() > DEEPEST {
        let error = source.error(key.span(), format!("a key of {} parts", path.len()));
        return Err(error.allowed("a key of the file, such as workload.poisson.load"));
    }
    Ok(path)
}

/// Most parts of a key. Keys of a scenario have fewer; each part needs stack.
const DEEPEST: usize = 16;

/// Returns a path as text, with dots.
pub(super) fn name(path: &[Spanned<DeString>]) -> String {
    path.iter().map(|part| part.get_ref().as_ref()).collect::<Vec<_>>().join(".")
}
