//! The cache of prepared positions.

use super::*;
use crate::samples::cache::Cache;

fn find(cache: &Cache, key: &crate::cache::CacheKey, spec: &DataSpec) -> Option<Dataset> {
    cache.find(key, &spec.train, &mut |_, _| {}, &AtomicBool::new(false)).unwrap()
}

/// The key holds the content of a filter's net, not its path.
#[test]
fn keys_depend_on_the_net_of_the_filter() {
    let folder = tempfile::tempdir().unwrap();
    let games = random_games(&folder, "a.oarc", 0..40);
    let net = |name: &str, provenance: &str| {
        let path = folder.path().join(name);
        let net = std::sync::Arc::unwrap_or_clone(nnue::bundled());
        net.with_provenance(provenance.into()).save(&path).unwrap();
        path
    };
    let asking = |net: PathBuf, max| {
        let static_gap = Some(crate::StaticGap { net, max });
        DataSpec { filter: Filter { static_gap, ..Filter::NONE }, ..spec(&games) }
    };
    let key = |spec: &DataSpec| Cache::key(spec, &spec.train, &|_| None, &mut |_| {}).unwrap();
    let (one, copy, other) = (net("1.oplus", "a"), net("2.oplus", "a"), net("3.oplus", "b"));
    let near = asking(one.clone(), 100);
    assert_eq!(key(&near), key(&asking(copy, 100)));
    for different in [asking(other, 100), asking(one, 101), spec(&games)] {
        assert_ne!(key(&near), key(&different));
    }
    // Random games have random scores, and few are near.
    let dataset = run(&near).unwrap();
    assert!(dataset.kept() > 0 && dataset.kept() < run(&spec(&games)).unwrap().kept() / 2);
    let dropped = dataset.dropped.count(DropRule::StaticGap);
    assert_eq!(dropped + dataset.kept(), run(&spec(&games)).unwrap().kept());
    assert!(matches!(run(&asking("no.oplus".into(), 1)), Err(DataError::FilterNet(_))));
}

#[test]
fn reading_a_cached_file_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().join("cache"));
    let spec = spec(&random_games(&folder, "a.oarc", 0..40));
    let key = Cache::key(&spec, &spec.train, &|_| None, &mut |_| {}).unwrap();
    let stop = AtomicBool::new(false);
    cache.load(&key, &spec, &mut |_| {}, &stop).unwrap();
    let mut seen = Vec::new();
    let mut watch = |at, all| {
        seen.push((at, all));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let stopped = cache.find(&key, &spec.train, &mut watch, &stop);
    assert!(matches!(stopped, Err(DataError::Stopped)), "{stopped:?}");
    assert!(seen[0].0 > 0 && seen[0].0 <= seen[0].1);
}

#[test]
fn what_was_loaded_once_is_found_again_whatever_the_files_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().join("cache"));
    let key = |spec: &DataSpec| Cache::key(spec, &spec.train, &|_| None, &mut |_| {}).unwrap();
    let spec = spec(&random_games(&folder, "a.oarc", 0..40));
    assert_eq!(find(&cache, &key(&spec), &spec), None);
    let dataset = run(&spec).unwrap();
    let load = || cache.load(&key(&spec), &spec, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(load(), dataset);
    assert_eq!(find(&cache, &key(&spec), &spec), Some(dataset.clone()));

    let copy = folder.path().join("b.oarc");
    std::fs::copy(&spec.train[0].path, &copy).unwrap();
    let copy = DataSpec { train: vec![Ingredient::new(copy)], ..spec.clone() };
    assert_eq!(key(&copy), key(&spec));
    let found = find(&cache, &key(&copy), &copy).unwrap();
    assert_eq!((&found.train, &found.sources[0].path), (&dataset.train, &copy.train[0].path));

    let half = Ingredient { weight: Weight::try_from(0.5).unwrap(), ..spec.train[0].clone() };
    for other in [
        DataSpec { train: vec![half], ..spec.clone() },
        DataSpec { filter: Filter::QUIET, ..spec.clone() },
        DataSpec { limit: Some(3), ..spec.clone() },
        DataSpec { choices: true, ..spec.clone() },
        DataSpec { validation: 0.2, ..spec.clone() },
        self::spec(&random_games(&folder, "c.oarc", 1..41)),
    ] {
        assert_ne!(key(&other), key(&spec), "{other:?}");
    }

    // With fewer positions than there are, too; the remains of a killed process are removed.
    let partial = format!("someone.{}.partial", base::host().unwrap_or_default());
    let left = folder.path().join("cache").join(partial);
    std::fs::write(&left, "not whole").unwrap();
    let few = DataSpec { limit: Some(333), ..spec.clone() };
    let kept = cache.load(&key(&few), &few, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    assert_eq!(kept, run(&few).unwrap());
    assert_eq!((kept.train.len(), left.exists()), (333, false));
    std::fs::remove_file(cache.path(&key(&few))).unwrap();

    // A file that is cut or changed anywhere counts as missing.
    let kept = folder.path().join("cache").read_dir().unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&kept).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 50) {
        std::fs::write(&kept, &whole[..place]).unwrap();
        assert_eq!(find(&cache, &key(&spec), &spec), None, "cut at {place}");
        let mut changed = whole.clone();
        changed[place] ^= 16;
        std::fs::write(&kept, &changed).unwrap();
        assert_eq!(find(&cache, &key(&spec), &spec), None, "changed at {place}");
    }
}
