//! The [laws](crate::testing::laws) of the custom operation, and its own.

mod case;

use burn::tensor::{Device, Int, Tensor, TensorData};

#[cfg(feature = "wgpu")]
use super::active::GroupLayout;
use super::{ActiveFeatures, Front, IndexForm, RowPrecision, front};
#[cfg(feature = "wgpu")]
use super::{MOST_MARKED, PADDING, RowOrder};
use crate::buckets::PositionBuckets;
use crate::by_bucket::Dense;
#[cfg(feature = "wgpu")]
use crate::device::list;
use crate::testing::laws::{self, Case as _, assert_close};
use crate::testing::{amid_others, bits, every_device};
use case::Case;
use nnue::Activation;

/// Within 2·10⁻⁵ of 1, or of the entry if that is larger.
fn of_entry(entry: f32, _largest: f32) -> f32 {
    2e-5 * (1.0 + entry.abs())
}

/// Within 10⁻⁵ of the largest entry.
fn of_largest(_entry: f32, largest: f32) -> f32 {
    1e-5 * largest
}

/// Tiles of all widths, one chunk and several, slices that are full and that are not, a
/// small set and a large one; one bucket, several, and empty ones among them; halves of a
/// perspective that are no multiple of 16, and such as are.
fn cases() -> impl Iterator<Item = Case> {
    use Activation::{ClippedRelu, Identity, Pairwise, SquaredClippedRelu};
    const FEW: &[i32] = &[0, 2];
    const ALL: &[i32] = &[0, 1, 2, 3, 4, 5, 6, 7];
    [
        ([40, 64, 15, 9, 8], ClippedRelu, 1, &[0][..]),
        ([40, 64, 300, 9, 8], ClippedRelu, 3, FEW),
        ([40, 8, 650, 9, 1], SquaredClippedRelu, 3, &[0, 1, 2]),
        ([768, 128, 550, 20, 16], ClippedRelu, 1, &[0]),
        ([768, 128, 550, 20, 16], ClippedRelu, 8, &[1, 4, 6]),
        ([5000, 72, 100, 6, 8], SquaredClippedRelu, 8, ALL),
        ([40, 1, 650, 9, 1], Identity, 1, &[0]),
        ([40, 8, 200, 9, 1], Identity, 8, ALL),
        ([768, 256, 150, 20, 1], Identity, 1, &[0]),
        ([40, 6, 70, 9, 3], Pairwise, 1, &[0]),
        ([40, 16, 64, 9, 8], Pairwise, 1, &[0]),
        ([768, 48, 550, 20, 16], Pairwise, 3, FEW),
        ([300, 112, 130, 20, 5], Pairwise, 8, &[7]),
        ([5000, 256, 200, 6, 8], Pairwise, 8, ALL),
    ]
    .into_iter()
    .flat_map(|(sizes, activation, copies, used)| {
        let case = || Case::new(sizes, activation).in_buckets(copies, used);
        [case(), case().valued(), case().penalised(0.125), case().valued().penalised(0.5)]
    })
}

#[test]
fn equals_stock_operations_and_their_gradients() {
    laws::equals_stock_operations(cases(), of_entry);
}

#[test]
fn every_device_computes_the_same() {
    for case in cases() {
        let on_cpu = case.custom(Device::flex());
        for device in every_device() {
            let custom = case.custom(device.clone());
            assert_close::<Case, 5>(&custom, &on_cpu, of_largest, &device);
        }
    }
}

#[test]
fn every_device_repeats_itself_to_the_bit() {
    for (activation, copies) in [(Activation::ClippedRelu, 1), (Activation::Pairwise, 3)] {
        let case = Case::new([300, 64, 3000, 20, 8], activation).valued();
        laws::repeats_to_the_bit(&case.in_buckets(copies, &[0]));
    }
}

/// Multiplying by 1 is exact, and the order of the sums is the same.
#[test]
fn values_of_one_do_not_change_a_bit() {
    for device in every_device() {
        for sizes in [[40, 8, 650, 9, 8], [768, 128, 550, 20, 1]] {
            let binary = Case::new(sizes, Activation::ClippedRelu);
            let mut valued = Case::new(sizes, Activation::ClippedRelu);
            valued.values = Some(vec![1.0; valued.indices.len()]);
            let [binary, valued] = [binary, valued].map(|case| bits(case.custom(device.clone())));
            assert!(binary == valued, "{sizes:?} on {device:?}");
        }
    }
}

/// To the bit: sums have the same order, and the backward pass reads no weights.
#[test]
fn half_precision_rows_are_weights_rounded_beforehand() {
    use RowPrecision::Bf16;
    let is_even = |case: &Case| case.l1.is_multiple_of(2);
    for device in every_device() {
        for (case, same) in cases().zip(cases()).filter(|(case, _)| is_even(case)) {
            let exact = bits(case.custom(device.clone()));
            let read = bits(case.in_precision(Bf16).custom(device.clone()));
            let same = same.rounded(Bf16);
            let what = format!("{} × {} on {device:?}", same.features, same.l1);
            assert!(read == bits(same.custom(device.clone())), "{what}");
            assert!(read[0] != exact[0], "{what}");
        }
    }
}

#[test]
#[should_panic(expected = "half-precision rows are pairs of weights, not 1")]
fn half_precision_rows_of_an_odd_width_are_refused() {
    run_with(|case| {
        *case = Case::new([40, 1, 15, 9, 1], Activation::Identity).in_precision(RowPrecision::Bf16);
    });
}

/// Only gradients know of it.
#[test]
fn a_penalty_does_not_change_the_output() {
    for device in every_device() {
        let case = || Case::new([40, 48, 150, 9, 8], Activation::Pairwise).in_buckets(3, &[0, 2]);
        let [without, with] =
            [case(), case().penalised(0.5)].map(|case| bits(case.custom(device.clone())));
        assert!(without[0] == with[0], "{device:?}");
        assert!(without[1] != with[1], "{device:?}");
        assert!(without[3..] == with[3..], "{device:?}");
    }
}

#[test]
fn a_list_of_the_only_bucket_changes_nothing() {
    let case = Case::new([40, 48, 150, 9, 8], Activation::ClippedRelu);
    for device in every_device() {
        let without = case.run(device.clone(), |case, layers| {
            let device = layers.weights.device();
            let active = ActiveFeatures::new(case.indices(&device), case.values(&device));
            let active = active.with_inverse(case.inverse());
            (front(layers, active, PositionBuckets::one()), None)
        });
        assert!(bits(without) == bits(case.custom(device.clone())), "{device:?}");
    }
}

/// Flipping the positions of the input, which copies nothing, flips the
/// output's. The parameters are parts of larger tensors.
#[test]
fn views_are_read_as_they_are_seen() {
    let case = || {
        let case = Case::new([40, 8, 15, 9, 8], Activation::ClippedRelu).valued();
        case.in_buckets(3, &[0, 1, 2])
    };
    let (case, mut mirrored) = (case(), case());
    let position = 2 * case.width;
    mirrored.indices = case.indices.chunks(position).rev().flatten().copied().collect();
    mirrored.values =
        case.values.as_ref().map(|v| v.chunks(position).rev().flatten().copied().collect());
    for (device, dim) in every_device().into_iter().flat_map(|it| [(it.clone(), 0), (it, 1)]) {
        let flipped = case.run(device.clone(), |case, layers| {
            let device = layers.weights.device();
            let pairs = [case.positions, 2, case.width];
            let rows = [2 * case.positions, case.width];
            let indices = case.indices(&device).reshape(pairs).flip([0]).reshape(rows);
            let values = case.values(&device).map(|values| values.reshape(pairs).flip([0]));
            let active = ActiveFeatures::new(indices, values.map(|values| values.reshape(rows)));
            let active = active.with_inverse(mirrored.inverse());
            let of_each = TensorData::new(case.of_each.clone(), [case.positions]);
            let of_each = Tensor::from_data(of_each, &device).flip([0]);
            let layers = Front {
                weights: amid_others(layers.weights, dim),
                bias: amid_others(layers.bias, 0),
                dense: Dense {
                    weights: amid_others(layers.dense.weights, 2 * dim),
                    bias: amid_others(layers.dense.bias, dim),
                },
                between: layers.between,
                precision: layers.precision,
            };
            (front(layers, active, PositionBuckets::new(of_each)).flip([0]), None)
        });
        let custom = case.custom(device.clone());
        assert_close::<Case, 5>(&flipped, &custom, of_entry, &device);
    }
}

/// A net that has blown up must show it.
#[test]
fn no_number_stays_none() {
    for activation in [Activation::ClippedRelu, Activation::Pairwise] {
        let mut case = Case::new([40, 8, 15, 9, 8], activation).in_buckets(3, &[0, 2]);
        case.bias[3] = f32::NAN;
        for device in every_device() {
            let [output, ..] = case.custom(device.clone());
            assert!(output.iter().all(|x| x.is_nan()), "{activation:?} on {device:?}");
        }
    }
}

#[test]
#[should_panic(expected = "a value per index")]
fn values_of_another_shape_are_refused() {
    let device = Device::flex();
    let indices = Tensor::<2, Int>::zeros([4, 3], &device);
    ActiveFeatures::new(indices, Some(Tensor::zeros([3, 4], &device)));
}

/// [`front`] of a case changed.
fn run_with(change: impl FnOnce(&mut Case)) {
    let mut case = Case::new([40, 8, 15, 9, 8], Activation::ClippedRelu).in_buckets(3, &[0, 2]);
    change(&mut case);
    case.custom(Device::flex());
}

#[test]
#[should_panic(expected = "dual outputs of the feature transformer")]
fn dual_outputs_are_for_dense_layers() {
    run_with(|case| *case = Case::new([40, 8, 15, 9, 8], Activation::Dual));
}

#[test]
#[should_panic(expected = "a bucket per position")]
fn a_list_of_another_batch_is_refused() {
    run_with(|case| case.of_each.push(1));
}

#[test]
#[should_panic(expected = "bucket 3 of 3")]
fn a_bucket_that_is_not_there_is_refused() {
    run_with(|case| case.of_each[7] = 3);
}

#[cfg(feature = "wgpu")]
#[test]
#[should_panic(expected = "a set of 9000 features by its inverse")]
fn a_graphics_card_wants_the_inverse_of_large_sets() {
    let case = Case::new([9_000, 8, 15, 9, 8], Activation::ClippedRelu);
    let device = crate::Compute::GPU.device().unwrap();
    case.run(device, |case, layers| {
        let device = layers.weights.device();
        let active = ActiveFeatures::new(case.indices(&device), None);
        (front(layers, active, case.buckets(&device)), None)
    });
}

/// With the inverse, and of small binary sets without.
#[cfg(feature = "wgpu")]
#[test]
fn indices_of_half_a_word_change_no_bit() {
    let device = crate::Compute::GPU.device().unwrap();
    for case in cases() {
        let with = |form, has_inverse: bool| {
            bits(case.run(device.clone(), |case, layers| {
                let device = layers.weights.device();
                let active = case.active(form, &device);
                let active = if has_inverse { active.with_inverse(case.inverse()) } else { active };
                (front(layers, active, case.buckets(&device)), None)
            }))
        };
        let is_marked = case.values.is_none() && case.features <= MOST_MARKED;
        for has_inverse in [true, false].into_iter().filter(|has_any| *has_any || is_marked) {
            let [words, halves] =
                [IndexForm::Word, IndexForm::Half].map(|form| with(form, has_inverse));
            assert!(words == halves, "{} × {}, {has_inverse}", case.features, case.l1);
        }
    }
}

#[test]
#[should_panic(expected = "form of the indices on a processor")]
fn indices_of_half_a_word_are_for_graphics_cards() {
    let case = Case::new([40, 8, 15, 9, 8], Activation::ClippedRelu);
    case.run(Device::flex(), |case, layers| {
        let device = layers.weights.device();
        let active = case.active(IndexForm::Half, &device);
        (front(layers, active, case.buckets(&device)), None)
    });
}

/// Groups of several segments, and a group without rows.
#[cfg(feature = "wgpu")]
#[test]
fn rows_by_group_give_the_same_gradients() {
    const GROUPS: usize = 6;
    const OF_GROUP: usize = 300;
    let device = crate::Compute::GPU.device().unwrap();
    use IndexForm::{Half, Word};
    use RowPrecision::{Bf16, F32};
    for (l1, positions, activation, precision, form) in [
        (64, 300, Activation::ClippedRelu, F32, Word),
        (64, 8_000, Activation::Pairwise, Bf16, Half),
        (6, 70, Activation::SquaredClippedRelu, F32, Half),
        (6, 70, Activation::SquaredClippedRelu, Bf16, Word),
    ] {
        let of_group = Case::new([OF_GROUP, l1, positions, 20, 8], activation);
        let case = Case::new([GROUPS * OF_GROUP, l1, positions, 20, 8], activation);
        let mut case = case.in_precision(precision);
        let groups: Vec<u8> = (0..2 * positions).map(|row| (row * row % 13 % 5) as u8).collect();
        let of_entry = |(entry, &feature): (usize, &i32)| match feature {
            PADDING => PADDING,
            feature => feature + i32::from(groups[entry / of_group.width]) * OF_GROUP as i32,
        };
        case.indices = of_group.indices.iter().enumerate().map(of_entry).collect();
        let grouped = || {
            case.run(device.clone(), |case, layers| {
                let device = layers.weights.device();
                let active = case.active(form, &device);
                let slot = |feature| feature / OF_GROUP * MOST_MARKED + feature % OF_GROUP;
                let slots = (0..GROUPS * OF_GROUP).map(|feature| slot(feature) as i32).collect();
                let RowOrder { list: order, layout } = RowOrder::new(&groups, GROUPS);
                let layout = GroupLayout { most: OF_GROUP, order: layout };
                let [slots, order] = [slots, order].map(|numbers| list(numbers, &device));
                let active = active.with_groups(slots, order, layout);
                (front(layers, active, case.buckets(&device)), None)
            })
        };
        let first = grouped();
        let on_cpu = case.custom(Device::flex());
        assert_close::<Case, 5>(&first, &on_cpu, of_largest, &device);
        assert!(bits(grouped()) == bits(first), "{l1} {positions}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    use Activation::{ClippedRelu, Pairwise, SquaredClippedRelu};
    let cases = [
        Case::new([768, 64, 1500, 16, 16], ClippedRelu),
        Case::new([6000, 128, 10000, 4, 8], SquaredClippedRelu).in_buckets(8, &[0, 1, 2, 5, 7]),
        Case::new([768, 64, 1500, 16, 1], ClippedRelu).valued().in_buckets(3, &[1]),
        Case::new([6000, 128, 10000, 4, 8], ClippedRelu).valued(),
        Case::new([768, 112, 1500, 16, 16], Pairwise).in_buckets(8, &[0, 3]).penalised(0.25),
    ];
    laws::threads_do_not_change_a_bit(cases.into_iter());
}
