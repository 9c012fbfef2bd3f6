use super::*;
use crate::TrainingConfig;
use crate::tests::{random_choices, random_samples};
use chess::{PackedPosition, Position};
use data::Samples;
use std::collections::BTreeMap;

fn encoder<'a>(features: &'a FeatureSet, samples: &'a [Sample]) -> Encoder<'a> {
    let target = Target::last(&TrainingConfig::default());
    let buckets = &Buckets::Pieces(32);
    let (example, noise) = (Example::Position, Noise::default());
    Encoder {
        features,
        buckets,
        samples: samples.into(),
        target,
        example,
        noise,
        listing: Listing::Rows(IndexForm::Word),
    }
}

#[test]
fn rows_hold_the_side_to_move_first() {
    let features = FeatureSet::parse("ALL").unwrap();
    let fens = ["8/8/4k3/8/8/3KP3/8/8 b - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"];
    let positions = fens.map(|fen| Position::from_fen(fen).unwrap());
    let samples = positions.clone().map(|position| Sample {
        position: PackedPosition::pack(&position).unwrap(),
        score: 0,
        result: 3,
        played: 0,
    });
    let batch = encoder(&features, &samples).batch(2, |i| i);
    assert_eq!((batch.len(), batch.lists().width), (2, 3));
    for (rows, position) in batch.lists().indices.chunks(2 * batch.lists().width).zip(&positions) {
        for (row, side) in rows.chunks(batch.lists().width).zip([position.turn(), !position.turn()])
        {
            let mut expected: Vec<Feature> = Vec::new();
            features.active(&Scene::from(position), side, &mut expected);
            let expected: Vec<i32> = expected.iter().map(|f| f.0 as i32).collect();
            assert_eq!(row, expected);
        }
    }
}

#[test]
fn short_lists_are_padded_to_the_longest() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_samples(600, 3);
    let batch = encoder(&features, &samples).batch(600, |i| 599 - i);
    let mut longest = 0;
    for (i, row) in batch.lists().indices.chunks(batch.lists().width).enumerate() {
        let pieces = samples[599 - i / 2].position.piece_count() as usize;
        longest = longest.max(pieces);
        assert!(row[..pieces].iter().all(|&f| (0..768).contains(&f)));
        assert!(row[pieces..].iter().all(|&f| f == PADDING));
        assert_eq!(batch.buckets[i / 2] as usize, pieces - 1);
    }
    assert_eq!(batch.lists().width, longest);
}

#[test]
fn the_stream_is_the_shuffle_and_can_begin_anywhere() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_samples(100, 5);
    let mixture = Mixture::even(100, 9);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // One at a time, and several at once.
    let groups = FeatureSet::parse("KING-ALL").unwrap().piece_tables().unwrap().king_groups();
    for listing in [
        Listing::Rows(IndexForm::Word),
        Listing::RowsAndInverse(IndexForm::Half),
        Listing::OnCard(groups),
    ] {
        let encoder = Encoder { listing, ..encoder(&features, &samples) };
        let take = |first: u64, count: usize| -> Vec<Batch> {
            std::thread::scope(|scope| {
                let target = move |_| encoder.target;
                let receiver = stream(scope, &pool, encoder, target, mixture.clone(), 48, first);
                receiver.iter().take(count).map(Result::unwrap).collect()
            })
        };
        let batches = take(0, 9);
        // Batch 2 spans the end of the first pass: places 96 to 144.
        let by_hand = encoder.batch(48, |i| mixture.at(96 + i as u64));
        assert_eq!(batches[2], by_hand);
        assert_eq!(take(3, 6), batches[3..]);
    }
}

/// Over the end of a window.
#[test]
fn batches_of_a_file_are_those_of_memory_and_its_mapping_is_not_read() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples: Vec<Sample> =
        random_samples(3_000, 5).into_iter().cycle().take(2_200_000).collect();
    let filed = Samples::in_temporary_file(&samples).unwrap();
    let (mixture, size) = (Mixture::even(samples.len(), 9), 4_096);
    let first = (1 << 21) / size as u64 - 2;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let encoder = encoder(&features, &samples);
    let take = |samples: SampleView<'_>| -> Vec<Batch> {
        std::thread::scope(|scope| {
            let encoder = Encoder { samples, ..encoder };
            let target = move |_| encoder.target;
            let receiver = stream(scope, &pool, encoder, target, mixture.clone(), size, first);
            receiver.iter().take(5).map(Result::unwrap).collect()
        })
    };
    assert_eq!(take((&filed).into()), take((&samples).into()));
    #[cfg(target_os = "linux")]
    assert_eq!(resident_kilobytes(filed.as_ptr().addr()), 0);
}

/// Resident part of the mapping that begins at an address, in KiB.
#[cfg(target_os = "linux")]
fn resident_kilobytes(address: usize) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let of_mapping = maps.split_once(&format!("{address:x}-")).unwrap().1;
    let resident = of_mapping.lines().find_map(|line| line.strip_prefix("Rss:")).unwrap();
    resident.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn indices_of_half_a_word_are_the_same_lists() {
    let samples = random_samples(300, 4);
    for text in ["KING * ALL", "LEORIK-18"] {
        let features = FeatureSet::parse(text).unwrap();
        let batch = |form| {
            let listing = Listing::RowsAndInverse(form);
            Encoder { listing, ..encoder(&features, &samples) }.batch(300, |i| i)
        };
        let [words, halves] = [IndexForm::Word, IndexForm::Half].map(batch);
        let [words, halves] = [words.lists(), halves.lists()];
        assert_eq!(halves.width, words.width.next_multiple_of(2), "{text}");
        assert_eq!(2 * halves.indices.len(), 600 * halves.width, "{text}");
        for row in 0..600 {
            assert!(words.rows().row(row).eq(halves.rows().row(row)), "{text}, row {row}");
        }
        assert_eq!(words.inverse, halves.inverse, "{text}");
    }
}

#[test]
fn the_inverse_comes_where_it_is_wanted() {
    let features = FeatureSet::parse("KING * ALL").unwrap();
    let samples = random_samples(100, 3);
    let encoder = encoder(&features, &samples);
    let batch = encoder.batch(100, |i| i);
    let inverse = Inverse::new(batch.lists().rows(), None, features.size());
    assert_eq!(
        Encoder { listing: Listing::RowsAndInverse(IndexForm::Word), ..encoder }.batch(100, |i| i),
        batch.with_inverse(inverse)
    );
}

/// Three positions a sample, in the order P, Q, R, over tasks and passes.
#[test]
fn a_ranking_shows_the_followers_too() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_choices(600, 7);
    let draw = NegativeSampler::new(5);
    let alone = encoder(&features, &samples);
    let encoder = Encoder { example: Example::Triplet(draw), ..alone };
    let mixture = Mixture::even(600, 9);
    let batch = encoder.mixed(&mixture, 300..900);
    assert_eq!((batch.len(), batch.lists().indices.len()), (600, 600 * 6 * batch.lists().width));
    assert_eq!(batch.targets, alone.mixed(&mixture, 300..900).targets);
    for (place, rows) in (300..900).zip(batch.lists().indices.chunks(6 * batch.lists().width)) {
        let sample = &samples[mixture.at(place)];
        let [q, r] = draw.followers(sample, place).unwrap();
        let positions = [sample.position.unpack().unwrap(), q, r];
        let of_place = 3 * (place as usize - 300);
        let pieces = positions.each_ref().map(|p| p.board().occupied().count() as i32);
        assert_eq!(batch.buckets[of_place..of_place + 3], pieces.map(|pieces| pieces - 1));
        for (rows, position) in rows.chunks(2 * batch.lists().width).zip(&positions) {
            for (row, side) in
                rows.chunks(batch.lists().width).zip([position.turn(), !position.turn()])
            {
                let mut expected: Vec<Feature> = Vec::new();
                features.active(&Scene::from(position), side, &mut expected);
                let active = row.iter().filter(|&&feature| feature != PADDING);
                assert!(active.copied().eq(expected.iter().map(|f| f.0 as i32)), "{place}");
            }
        }
    }
    assert_eq!(encoder.mean_active(100), alone.mean_active(100), "arms begin alike");
}

fn half() -> Noise {
    Noise::new(&TrainingConfig { feature_dropout: 0.5, ..Default::default() }, 3)
}

/// The lists of a batch, in ascending order.
fn lists(batch: &Batch) -> Vec<Vec<i32>> {
    let list = |row: &[i32]| {
        let mut list: Vec<i32> = row.iter().copied().filter(|&it| it != PADDING).collect();
        list.sort_unstable();
        list
    };
    batch.lists().indices.chunks(batch.lists().width).map(list).collect()
}

#[test]
fn features_are_left_out_of_each_perspective_by_itself() {
    let features = FeatureSet::parse("ALL").unwrap();
    // One symmetric position throughout: both perspectives have the same features.
    let start = PackedPosition::pack(&Position::default()).unwrap();
    let samples = [Sample { position: start, score: 0, result: 1, played: 0 }; 600];
    let all = encoder(&features, &samples);
    let full = lists(&all.batch(600, |i| i));
    assert_eq!(full[0], full[1]);
    let noisy = Encoder { noise: half(), ..all };
    let batch = noisy.batch(600, |i| i);
    let thinned = lists(&batch);
    let kept: usize = thinned.iter().map(Vec::len).sum();
    let expected = full.iter().map(Vec::len).sum::<usize>() as f64 / 2.0;
    assert!((kept as f64 / expected - 1.0).abs() < 0.03, "{kept} of {expected}");
    for (thinned, full) in thinned.iter().zip(&full) {
        assert!(thinned.iter().all(|feature| full.contains(feature)));
    }
    let pairs = || thinned.chunks(2).filter(|pair| pair[0] == pair[1]);
    assert_eq!(pairs().count(), 0, "two lists of 32 in 2^32 are the same");
    // Wherever a batch begins, the places decide.
    assert_eq!(lists(&noisy.at(100..200, |i| samples[i as usize])), thinned[200..400]);
    assert_eq!(batch.targets, all.batch(600, |i| i).targets);
}

#[test]
fn values_and_inverse_lists_are_those_of_what_is_left() {
    let samples = random_samples(300, 3);
    for text in ["KING * ALL", "LEORIK-18"] {
        let features = FeatureSet::parse(text).unwrap();
        let all = encoder(&features, &samples);
        let full = all.batch(300, |i| i);
        let batch =
            Encoder { noise: half(), listing: Listing::RowsAndInverse(IndexForm::Word), ..all }
                .batch(300, |i| i);
        let values = batch.lists().values.as_deref();
        let inverse = Inverse::new(batch.lists().rows(), values, features.size());
        assert_eq!(batch.lists().inverse, Some(inverse), "{text}");
        let Some(values) = values else { continue };
        let rows = batch
            .lists()
            .indices
            .chunks(batch.lists().width)
            .zip(values.chunks(batch.lists().width));
        let whole = full.lists().values.as_deref().unwrap().chunks(full.lists().width);
        for ((indices, values), full) in
            rows.zip(full.lists().indices.chunks(full.lists().width).zip(whole))
        {
            let of: BTreeMap<i32, f32> =
                full.0.iter().copied().zip(full.1.iter().copied()).collect();
            let mut entries = indices.iter().zip(values);
            assert!(entries.all(|(index, value)| *index == PADDING || of[index] == *value));
        }
    }
}

#[test]
fn a_mean_of_active_features_is_of_all() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_samples(300, 3);
    let all = encoder(&features, &samples);
    assert_eq!(Encoder { noise: half(), ..all }.mean_active(300), all.mean_active(300));
}

/// The features of a set, the `i`-th of a list worth `i + ½`.
fn valued_batch(encoder: &Encoder<'_>, count: usize) -> Batch {
    let active = |scene: &Scene, perspective, list: &mut Vec<Weighted>| {
        let mut features: Vec<Feature> = Vec::new();
        encoder.features.active(scene, perspective, &mut features);
        let valued = |(i, feature)| Weighted { feature, value: i as f32 + 0.5 };
        list.extend(features.into_iter().enumerate().map(valued));
    };
    let pick = |place| encoder.samples[place as usize];
    pack(&encoder.encoded(0..count as u64, pick, active), IndexForm::Word)
}

#[test]
fn values_lie_beside_their_indices() {
    let features = FeatureSet::parse("ALL").unwrap();
    let samples = random_samples(600, 3);
    let encoder = encoder(&features, &samples);
    let (batch, binary) = (valued_batch(&encoder, 600), encoder.batch(600, |i| i));
    assert_eq!(
        (&batch.lists().indices, batch.lists().width),
        (&binary.lists().indices, binary.lists().width)
    );
    assert_eq!(batch.targets, binary.targets);
    assert_eq!(binary.lists().values, None);
    let values = batch.lists().values.clone().unwrap();
    assert_eq!(values.len(), batch.lists().indices.len());
    for (indices, values) in
        batch.lists().indices.chunks(batch.lists().width).zip(values.chunks(batch.lists().width))
    {
        for (i, (&index, &value)) in indices.iter().zip(values).enumerate() {
            assert_eq!(value, if index == PADDING { 0.0 } else { i as f32 + 0.5 });
        }
    }
}

#[test]
fn a_valued_batch_is_one_even_without_positions() {
    let features = FeatureSet::parse("ALL").unwrap();
    let encoder = encoder(&features, &[]);
    assert_eq!(valued_batch(&encoder, 0).lists().values, Some(Vec::new()));
    assert_eq!(encoder.batch(0, |i| i).lists().values, None);
    assert_eq!(encoder.mean_active(1000), 0.0);
}
