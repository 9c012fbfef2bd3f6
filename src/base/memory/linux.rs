//! Memory on Linux: of the machine, its control groups, and the limits of the process.

use std::path::Path;

/// The text of a short file of the kernel's.
fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The least of what machine, control groups and limits leave.
pub(super) fn available() -> Option<u64> {
    let machine = kilobytes(&read("/proc/meminfo")?, "MemAvailable:")?;
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let group = left_in_groups(Path::new("/sys/fs/cgroup"), &groups);
    Some(machine.min(group.unwrap_or(u64::MAX)).min(left_of_addresses().unwrap_or(u64::MAX)))
}

/// The number behind a name, in bytes: `MemAvailable:   23010980 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// Address space left by `ulimit -v`.
fn left_of_addresses() -> Option<u64> {
    let limits = read("/proc/self/limits")?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes(&read("/proc/self/status")?, "VmSize:")?))
}

/// Names of files in the two versions of control groups.
struct Names {
    limit: &'static str,
    usage: &'static str,
    /// In `memory.stat`: pages of files that are given up when memory runs short.
    pages: &'static str,
}

const FIRST: Names = Names {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    pages: "total_inactive_file ",
};
const SECOND: Names =
    Names { limit: "memory.max", usage: "memory.current", pages: "inactive_file " };

/// The least that any of the groups leaves that the process is in, or any above them.
/// `groups` is `/proc/self/cgroup`: lines `id:controllers:path`.
fn left_in_groups(mount: &Path, groups: &str) -> Option<u64> {
    let left = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let (root, names) = match controllers {
            "" => (mount.to_owned(), SECOND),
            _ if controllers.split(',').any(|one| one == "memory") => (mount.join("memory"), FIRST),
            _ => return None,
        };
        // In a container the path may be that of the host: then only the root is there.
        let above = Path::new(path.trim_start_matches('/')).ancestors();
        above.filter_map(|group| left_in(&root.join(group), &names)).min()
    };
    groups.lines().filter_map(left).min()
}

/// Room in one group; `None` without a limit.
fn left_in(group: &Path, names: &Names) -> Option<u64> {
    let number = |name| read(group.join(name))?.trim().parse::<u64>().ok();
    let (limit, usage) = (number(names.limit)?, number(names.usage)?);
    let stat = read(group.join("memory.stat")).unwrap_or_default();
    let pages = stat.lines().find_map(|line| line.strip_prefix(names.pages)?.parse().ok());
    Some(limit.saturating_sub(usage.saturating_sub(pages.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_memory() {
        let available = available().unwrap();
        assert!(available > 1 << 20, "{available}");
        let total = kilobytes(&read("/proc/meminfo").unwrap(), "MemTotal:").unwrap();
        assert!(available <= total);
    }

    fn group(path: &Path, names: &Names, limit: &str, usage: u64, pages: u64) {
        std::fs::create_dir_all(path).unwrap();
        std::fs::write(path.join(names.limit), format!("{limit}\n")).unwrap();
        std::fs::write(path.join(names.usage), format!("{usage}\n")).unwrap();
        let stat = format!("anon 7\n{}{pages}\nactive_file 9\n", names.pages);
        std::fs::write(path.join("memory.stat"), stat).unwrap();
    }

    #[test]
    fn the_tightest_group_decides() {
        let mount = tempfile::tempdir().unwrap();
        let at = |path: &str| mount.path().join(path);
        group(&at("user/shell"), &SECOND, "max", 500, 0);
        assert_eq!(left_in_groups(mount.path(), "0::/user/shell"), None);
        group(&at("user"), &SECOND, "1000", 700, 200);
        assert_eq!(left_in_groups(mount.path(), "0::/user/shell"), Some(500));
        group(&at("user/shell"), &SECOND, "600", 500, 0);
        assert_eq!(left_in_groups(mount.path(), "0::/user/shell\n"), Some(100));
        assert_eq!(left_in_groups(mount.path(), "0::/other"), None);
    }

    #[test]
    fn first_version_and_paths_of_the_host() {
        let mount = tempfile::tempdir().unwrap();
        group(&mount.path().join("memory"), &FIRST, "4000", 3000, 500);
        let groups = "5:devices:/\n4:cpu,memory:/docker/0123\n0::/\n";
        assert_eq!(left_in_groups(mount.path(), groups), Some(1500));
        assert_eq!(left_in_groups(mount.path(), "no groups here"), None);
    }
}
