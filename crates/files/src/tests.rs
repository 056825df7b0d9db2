use super::*;
use nix::sys::stat::Mode;
use std::fs::{self, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn pipe(folder: &Path) -> PathBuf {
    let path = folder.join("pipe");
    nix::unistd::mkfifo(&path, Mode::S_IRWXU).unwrap();
    path
}

fn written(path: PathBuf, content: impl AsRef<[u8]>, mode: u32) -> PathBuf {
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn other_kinds_of_files_are_named_without_opening_them() {
    let folder = folder();
    let socket = folder.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let kinds = [
        (pipe(folder.path()), "is a pipe"),
        (socket, "is a socket"),
        (folder.path().to_owned(), "is a folder"),
        ("/dev/zero".into(), "is a device"),
    ];
    for (path, why) in kinds {
        for error in [open(&path).unwrap_err(), check_place(&path).unwrap_err()] {
            assert_eq!((&*error.why, error.allowed.contains(REGULAR)), (why, true), "{error}");
        }
    }
}

#[test]
fn inherited_pipe_is_read() {
    let (from, to) = nix::unistd::pipe().unwrap();
    nix::unistd::write(&to, b"text").unwrap();
    drop(to);
    let path = PathBuf::from(format!("/dev/fd/{}", from.as_raw_fd()));
    assert_eq!(text(&path, 4).unwrap(), "text");
    assert_eq!(check_place(&path).unwrap_err().why, "is a pipe");
}

#[test]
fn link_to_nothing_is_no_place_for_a_file() {
    let folder = folder();
    let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
    symlink(&target, &link).unwrap();
    let error = check_place(&link).unwrap_err();
    assert_eq!(error.why, format!("is a link to {}, which does not exist", target.display()));
    check_place(&target).unwrap();
    fs::write(&target, "").unwrap();
    check_place(&link).unwrap();
}

#[test]
fn texts_have_a_limit_and_an_encoding() {
    let folder = folder();
    let of = |content: &[u8]| text(&written(folder.path().join("text"), content, 0o644), 4);
    assert_eq!(of(b"four").unwrap(), "four");
    assert_eq!(of(b"fives").unwrap_err().why, "has more than 4 bytes");
    assert_eq!(of(b"ab\xff").unwrap_err().why, "is not text: byte 2 is not UTF-8");
    let error = text(&folder.path().join("none"), 4).unwrap_err();
    assert_eq!(error.why, "can't be read: No such file or directory");
}

#[test]
fn tokens_are_private_texts() {
    let folder = folder();
    let of = |content: &[u8], mode| token(&written(folder.path().join("token"), content, mode));
    for mode in [0o600, 0o640] {
        assert_eq!(of(b" a token\n", mode).unwrap(), "a token");
    }
    let wrong: [(&[u8], u32, &str); 5] = [
        (b"token", 0o604, "everyone can read the token (mode 604)"),
        (b" \n", 0o600, "has a token of 0 bytes"),
        (&[b'x'; 4097], 0o600, "has a token of 4097 bytes"),
        (&[b' '; 8193], 0o600, "has more than 8192 bytes"),
        (b"\xff", 0o600, "is not text: byte 0 is not UTF-8"),
    ];
    for (content, mode, why) in wrong {
        assert_eq!(of(content, mode).unwrap_err().why, why);
    }
}

#[test]
fn full_disk_is_no_fault_of_the_path() {
    let of = |kind: ErrorKind| misplaced(Path::new("store"), &kind.into()).map(|error| error.why);
    assert_eq!(of(ErrorKind::PermissionDenied).unwrap(), "can't be written: permission denied");
    assert_eq!(of(ErrorKind::StorageFull), None);
}
