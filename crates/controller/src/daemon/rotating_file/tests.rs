use super::*;

fn rotating(folder: &Path, files: u32) -> RotatingFile {
    RotatingFile::new(folder.join("trail"), Bytes::new(10), files)
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn prune_removes_the_oldest_files_and_no_foreign_ones() {
    let folder = tempfile::tempdir().unwrap();
    let rotating = rotating(folder.path(), 3);
    let others = ["trail.part-1", "trail.part-0000001", "trail.part-00000x", "trails.part-000001"];
    others.iter().for_each(|name| fs::write(folder.path().join(name), "theirs").unwrap());
    for number in 0..5 {
        let (mut file, length) = rotating.open().unwrap();
        assert_eq!(length, 0);
        writeln!(file, "{number}").unwrap();
        rotating.archive().unwrap();
        rotating.prune().unwrap();
    }
    let own: Vec<String> =
        names(folder.path()).into_iter().filter(|name| !others.contains(&&**name)).collect();
    assert_eq!(own, ["trail.part-000004", "trail.part-000005"]);
    assert_eq!(names(folder.path()).len(), own.len() + others.len());
    assert_eq!(fs::read_to_string(folder.path().join(&own[0])).unwrap(), "3\n");
    // The file is archived already.
    rotating.archive().unwrap();
}

/// New files are for their owner only, and later ones as an operator has set the one before.
#[test]
fn new_files_have_the_permissions_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let rotating = rotating(folder.path(), 3);
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    drop(rotating.open().unwrap());
    assert_eq!(mode(rotating.path()), 0o600);
    fs::set_permissions(rotating.path(), Permissions::from_mode(0o664)).unwrap();
    drop(rotating.draft().unwrap());
    rotating.archive().unwrap();
    drop(rotating.open().unwrap());
    rotating.archive().unwrap();
    rotating.install_draft().unwrap();
    for name in names(folder.path()) {
        assert_eq!(mode(&folder.path().join(&name)), 0o664, "{name}");
    }
}

#[test]
fn truncated_line_is_terminated_on_open() {
    let folder = tempfile::tempdir().unwrap();
    let rotating = rotating(folder.path(), 2);
    fs::write(rotating.path(), "whole\ncu").unwrap();
    let (mut file, length) = rotating.open().unwrap();
    assert_eq!(length, 9);
    file.write_all(b"next\n").unwrap();
    assert_eq!(fs::read_to_string(rotating.path()).unwrap(), "whole\ncu\nnext\n");
}

#[test]
fn unwritable_folder_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    assert!(rotating(&folder.path().join("nowhere"), 2).check().is_err());
    let rotating = rotating(folder.path(), 2);
    fs::write(folder.path().join("trail.new"), "half").unwrap();
    rotating.check().unwrap();
    assert!(names(folder.path()).is_empty());
}
