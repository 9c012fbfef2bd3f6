//! Whatever the text, the parser answers, and what it accepts reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oplus::features::{FeatureSet, TrainedSet};

fuzz_target!(|text: &str| {
    let Ok(set) = FeatureSet::parse(text) else {
        let _ = TrainedSet::parse(text);
        return;
    };
    let again = FeatureSet::parse(set.canonical()).expect("canonical text is correct");
    assert_eq!(again.canonical(), set.canonical());
});
