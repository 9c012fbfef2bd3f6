//! The computer that something is measured on.

use std::time::Duration;

/// The time that processors have spent on a process and its threads; `None` without such
/// a process, or a number from the system.
#[cfg(target_os = "linux")]
pub fn cpu_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let mut fields = text.rsplit(')').next()?.split_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    Some(Duration::from_secs_f64((user + system) as f64 / ticks as f64))
}

/// The time that processors have spent on a process and its threads; `None` without such
/// a process, or a number from the system.
#[cfg(not(target_os = "linux"))]
pub fn cpu_time(process: u32) -> Option<Duration> {
    let process = sysinfo::Pid::from_u32(process);
    let mut system = sysinfo::System::new();
    system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[process]), true);
    Some(Duration::from_millis(system.process(process)?.accumulated_cpu_time()))
}

/// Cores to work with: those of the batch system's allocation if there is one, otherwise those that
/// the system lets a process use. At least 1.
///
/// Of Slurm's variables, `SLURM_CPUS_PER_TASK` is the requested number; `SLURM_CPUS_ON_NODE`
/// counts the node's processors, which several jobs may share.
pub fn cores() -> usize {
    let variable = |name| std::env::var(name).ok();
    let by_slurm = variable("SLURM_CPUS_PER_TASK").and_then(|text| text.parse().ok());
    // HyperQueue lists them.
    let by_hyperqueue = variable("HQ_CPUS").map(|text| text.split(',').count());
    let given = by_slurm.or(by_hyperqueue).filter(|&cores| cores > 0);
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Name of the computer, if the system has it.
pub fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    let name = name.or_else(|| std::env::var("COMPUTERNAME").ok())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Name of the processor, if the system has it.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let own = std::process::id();
        let before = cpu_time(own).unwrap();
        let until = std::time::Instant::now() + Duration::from_millis(80);
        while std::time::Instant::now() < until {
            std::hint::black_box(processor());
        }
        assert!(cpu_time(own).unwrap() > before);
        assert_eq!(cpu_time(u32::MAX), None);
    }
}
