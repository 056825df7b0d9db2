use super::*;
use crate::core::{Application, Client, ClientId, Next};
use crate::store::begun;
use bandwise_saba::controller::{ApplicationId, PortId};
use bandwise_saba::mapping::PriorityLevel;
use redb::StorageBackend;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

fn application(id: u64, name: &str) -> Change {
    let of = Application {
        client: ClientId(1),
        name: name.into(),
        level: PriorityLevel(2),
        job: None,
        doubts: Vec::new(),
    };
    Change::Application(ApplicationId(id), Some(of))
}

fn some() -> Vec<Change> {
    let client = Client { acknowledged_below: 3, ..Client::default() };
    let mut some = vec![
        Change::Next(Next { client: 2, application: 70_000, connection: 9 }),
        Change::Client(ClientId(1), Some(client)),
        Change::Drained(PortId(4), true),
    ];
    some.extend((0..200).map(|id| application(id, "all of it")));
    some
}

#[test]
fn written_records_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = Embedded::open(&path).unwrap();
    assert_eq!(store.load().unwrap(), State::default());
    store.write(&some()).unwrap();
    let more = [
        Change::Application(ApplicationId(7), None),
        Change::Drained(PortId(4), false),
        Change::Drained(PortId(5), true),
        application(8, "another"),
    ];
    store.write(&more).unwrap();
    let state = State::of(some().into_iter().chain(more));
    assert_eq!(store.load().unwrap(), state);
    assert!(matches!(Embedded::open(&path), Err(StoreError::InUse(_))));
    drop(store);
    assert_eq!(Embedded::open(&path).unwrap().load().unwrap(), state);
}

/// A truncated file is refused or complete: no truncation loses a part of the records unnoticed.
#[test]
fn truncated_store_is_refused_or_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    Embedded::open(&path).unwrap().write(&some()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let state = State::of(some());
    let mut refused = 0;
    for part in 0..40 {
        let cut = folder.path().join(format!("cut {part}"));
        std::fs::write(&cut, &whole[..whole.len() * part / 40]).unwrap();
        match Embedded::open(&cut).and_then(|mut store| store.load()) {
            Ok(found) => assert_eq!(found, state, "cut at {part}/40"),
            Err(error) => {
                assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
    let empty = std::fs::read(folder.path().join("cut 0")).unwrap();
    assert!(empty.is_empty(), "a refused file was written");
    let text = folder.path().join("text");
    std::fs::write(&text, "listen = 1\n").unwrap();
    assert!(matches!(Embedded::open(&text), Err(StoreError::Damaged { .. })));
    let missing = Embedded::open(&folder.path().join("no folder/store"));
    assert!(matches!(missing, Err(StoreError::Unusable(_))));
}

/// A file with one turned bit is refused and stays as it is, or is complete: after a clean end, and after a kill.
#[test]
fn store_with_a_turned_bit_is_refused_or_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = Embedded::open(&path).unwrap();
    store.write(&some()).unwrap();
    let last = application(200, "the last");
    store.write(std::slice::from_ref(&last)).unwrap();
    let killed = std::fs::read(&path).unwrap();
    drop(store);
    let ended = std::fs::read(&path).unwrap();
    let state = State::of(some().into_iter().chain([last]));
    let turned = folder.path().join("turned");
    for whole in [&killed, &ended] {
        let text = b"the last";
        let newest = whole.windows(text.len()).position(|of| of == text).unwrap();
        // Positions in all pages, all bits of a byte, and the newest record.
        let places = (0..150).map(|part| (whole.len() * part / 150 + part % 61, part % 8));
        for (at, bit) in places.chain([(newest, 0)]) {
            let mut bytes = whole.clone();
            bytes[at.min(whole.len() - 1)] ^= 1 << bit;
            std::fs::write(&turned, &bytes).unwrap();
            match Embedded::open(&turned).and_then(|mut store| store.load()) {
                Ok(found) => assert!(at != newest && found == state, "bit {bit} of byte {at}"),
                Err(error) => {
                    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
                    assert!(std::fs::read(&turned).unwrap() == bytes, "bit {bit} of byte {at}");
                }
            }
        }
    }
}

/// Others can't read a new store, and nothing else is left beside it.
#[test]
fn new_store_is_readable_by_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    Embedded::open(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A database of another program is refused and gets no tables.
#[test]
fn other_databases_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    drop(Database::create(&path).unwrap());
    assert!(matches!(Embedded::open(&path), Err(StoreError::Damaged { .. })));
    let database = Database::open(&path).unwrap();
    assert_eq!(database.begin_read().unwrap().list_tables().unwrap().count(), 0);
}

/// A file on a disk with space for a number of writes.
#[derive(Debug)]
struct Full {
    file: FileBackend,
    left: Arc<AtomicI64>,
}

impl Full {
    fn spend(&self) -> io::Result<()> {
        match self.left.fetch_sub(1, Ordering::Relaxed) > 0 {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::StorageFull)),
        }
    }
}

impl StorageBackend for Full {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.spend()?;
        self.file.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.spend()?;
        self.file.sync_data()
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.spend()?;
        self.file.write(offset, data)
    }
    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

/// Wherever the disk fills up, refused writes are absent and accepted ones present. With free space the store
/// continues.
#[test]
fn full_disk_loses_no_accepted_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut failures = 0;
    for room in 0..40 {
        let path = folder.path().join(format!("store {room}"));
        Embedded::open(&path).unwrap();
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let (file, of) = (path.clone(), left.clone());
        let open: Open = Box::new(move |builder| {
            let mut options = std::fs::OpenOptions::new();
            let file = options.read(true).write(true).open(&file)?;
            let file = FileBackend::new(file)?;
            builder.create_with_backend(Full { file, left: of.clone() })
        });
        let mut store = Embedded::with(&path, open);
        store.write(&some()).unwrap();
        let mut state = State::of(some());
        left.store(room, Ordering::Relaxed);
        for id in 0..6 {
            let changes =
                [application(id, "later"), Change::Application(ApplicationId(100 + id), None)];
            match store.write(&changes) {
                Ok(()) => state = State::of(state.records().chain(changes).collect::<Vec<_>>()),
                Err(_) => failures += 1,
            }
            if id == 3 {
                left.store(i64::MAX, Ordering::Relaxed);
            }
        }
        let last = [application(100_000, "the last")];
        store.write(&last).unwrap();
        let state = State::of(state.records().chain(last).collect::<Vec<_>>());
        assert_eq!(store.load().unwrap(), state, "room for {room}");
        drop(store);
        assert_eq!(Embedded::open(&path).unwrap().load().unwrap(), state, "room for {room}");
    }
    assert!(failures > 0);
}

/// Two new stores start with different client ids, with high probability; an existing store keeps its ids.
#[test]
fn new_stores_start_with_different_client_ids() {
    let first = |state: State| match state.records().next() {
        Some(Change::Next(next)) => next.client,
        _ => panic!("the first record has the next ids"),
    };
    let one = begun(State::default()).unwrap();
    assert_ne!(first(one.clone()), first(begun(State::default()).unwrap()));
    assert!(first(one.clone()) < 1 << 40);
    assert_eq!(begun(one.clone()).unwrap(), one);
}
