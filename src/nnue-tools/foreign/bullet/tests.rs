//! Files made by hand, and the order of bullet's inputs.

mod export;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use chess::random_game::random_game;
use chess::{Color, Position, Role, Scene};
use features::Feature;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::foreign::tests::with_mix;
use nnue::testing::random_positions;
use nnue::{AccumulatorStack, Mix, Net};

/// Reference of bullet's arithmetic, in its integers.
impl BulletNet {
    /// Centipawns for the side to move, as in the inference of bullet's examples: every quotient is
    /// rounded towards zero.
    fn evaluate(&self, scene: &Scene, turn: Color) -> i64 {
        let BulletScales { qa, qb, scale } = self.layout.scales;
        let [qa, qb, scale] = [qa, qb, scale].map(i64::from);
        let bucket = self.bucket(scene);
        let sum = self.products(scene, turn, bucket) / self.layout.excess();
        (sum + i64::from(self.out_bias[bucket])) * scale / (qa * qb)
    }

    /// The sum of activations times output weights.
    fn products(&self, scene: &Scene, turn: Color, bucket: usize) -> i64 {
        let sums = [turn, !turn].map(|perspective| self.accumulate(scene, perspective)).concat();
        let weights = &self.out_weights[bucket * sums.len()..][..sums.len()];
        let activated = sums.into_iter().map(|sum| self.activate(sum));
        weights.iter().zip(activated).map(|(&weight, input)| i64::from(weight) * input).sum()
    }

    /// Sums of one perspective; `[hidden]`.
    fn accumulate(&self, scene: &Scene, perspective: Color) -> Vec<i16> {
        let mut sums = self.ft_bias.clone();
        let mut active: Vec<Feature> = Vec::new();
        self.layout.features.active(scene, perspective, &mut active);
        for feature in active {
            let row = &self.ft_weights[feature.0 as usize * sums.len()..][..sums.len()];
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
        }
        sums
    }

    /// The activation of a sum: qa per unit, or qa² of a square.
    fn activate(&self, sum: i16) -> i64 {
        let clipped = i64::from(sum).clamp(0, i64::from(self.layout.scales.qa));
        match self.layout.activation {
            Activation::SquaredClippedRelu => clipped * clipped,
            _ => clipped,
        }
    }

    fn bucket(&self, scene: &Scene) -> usize {
        self.layout.bucket(scene.board().occupied().count())
    }
}

/// Two neurons, two buckets: only a rook on a1, seen as own or as the other's on a8, has weights.
fn by_hand(clipping: &str) -> (BulletLayout, Vec<u8>) {
    let layout = format!("bullet 2 {clipping} -> 1, buckets 2, qa 100, qb 10, scale 50");
    let mut rows = vec![[0i16; 2]; 768];
    rows[3 * 64] = [40, -70];
    rows[384 + 3 * 64 + 56] = [-30, 90];
    let numbers = [rows.as_flattened(), &[50, 60], &[1, 2, 3, 4], &[-5, 6, -7, 8], &[900, -900]];
    let numbers = numbers.into_iter().flatten();
    (layout.parse().unwrap(), numbers.flat_map(|number| number.to_le_bytes()).collect())
}

fn net(clipping: &str) -> BulletNet {
    let (layout, bytes) = by_hand(clipping);
    BulletNet::from_bytes(&bytes, &layout).unwrap()
}

#[test]
fn reads_every_field() {
    let net = net("crelu");
    assert_eq!(net.ft_weights.len(), 2 * 768);
    assert_eq!(net.ft_weights[2 * 192..][..2], [40, -70]);
    assert_eq!(net.ft_bias, [50, 60]);
    assert_eq!(net.out_weights, [1, 2, 3, 4, -5, 6, -7, 8]);
    assert_eq!(net.out_bias, [900, -900]);
}

/// White's sums are 90 and -10, Black's 20 and 150: 90, 0, 20, 100 of 100.
///
/// White to move: 90 + 60 + 400 + 900 = 1,450, times 50 over 1,000 is 72.5; Black
/// to move: 20 + 200 + 270 + 900 = 1,390, 69.5.
/// Squares: (8,100 + 1,200 + 40,000) / 100 = 493, and 900 more are 1,393, 69.65;
/// (400 + 20,000 + 24,300) / 100 = 447, 67.35.
///
/// With 18 pieces it is the other bucket, and the sums are those of bare
/// boards: 50 and 60 on both sides. -250 + 360 - 350 + 480 - 900 = -660, -33; squares
/// (-12,500 + 21,600 - 17,500 + 28,800) / 100 = 204, -696, -34.8.
#[test]
fn evaluates_as_calculated_by_hand() {
    let few = "4k3/8/8/8/8/8/8/R3K3";
    let many = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3";
    for (clipping, board, turn, expected) in [
        ("crelu", few, "w", 72),
        ("crelu", few, "b", 69),
        ("crelu", many, "w", -33),
        ("screlu", few, "w", 69),
        ("screlu", few, "b", 67),
        ("screlu", many, "b", -34),
    ] {
        let position = Position::from_fen(&format!("{board} {turn} - - 0 1")).unwrap();
        let evaluated = net(clipping).evaluate(&Scene::from(&position), position.turn());
        assert_eq!(evaluated, expected, "{clipping} {board} {turn}");
    }
}

/// Bullet's rule: two kings and four numbers of pieces more than that.
#[test]
fn buckets_begin_at_two_pieces() {
    let of = |buckets: usize, pawns: &str| {
        let layout: BulletLayout = format!("bullet 8 -> 1, buckets {buckets}").parse().unwrap();
        let fen = format!("4k3/{pawns}/8/8/8/8/8/4K3 w - - 0 1");
        layout.bucket(Scene::from(&Position::from_fen(&fen).unwrap()).board().occupied().count())
    };
    assert_eq!(["8", "ppp5", "pppp4", "ppppppp1", "pppppppp"].map(|p| of(8, p)), [0, 0, 1, 1, 2]);
    assert_eq!(["8", "pppppp2", "ppppppp1"].map(|p| of(5, p)), [0, 0, 1]);
    for (buckets, last) in [(1, 0), (4, 3), (8, 7), (32, 30)] {
        let layout: BulletLayout = format!("bullet 8 -> 1, buckets {buckets}").parse().unwrap();
        assert_eq!(layout.bucket(32), last);
    }
}

/// A file of random numbers, as large as those of trained nets.
fn random(layout: &str, seed: u64) -> BulletNet {
    let layout: BulletLayout = layout.parse().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (inputs, hidden, buckets) = (layout.features.size(), layout.hidden, layout.buckets);
    let mut numbers = |count: usize, most: i32| -> Vec<u8> {
        let numbers = (0..count).map(|_| rng.random_range(-most..=most) as i16);
        numbers.flat_map(i16::to_le_bytes).collect()
    };
    let BulletScales { qa, qb, .. } = layout.scales;
    let most_bias = qa * qb / 4;
    let fields = [
        numbers(inputs * hidden, qa / 3),
        numbers(hidden, qa / 2),
        numbers(buckets * 2 * hidden, 2 * qb - 1),
        numbers(buckets, most_bias),
    ];
    BulletNet::from_bytes(&fields.concat(), &layout).unwrap()
}

const LAYOUTS: [&str; 4] = [
    "bullet 16 screlu -> 1",
    "bullet 24 crelu -> 1, buckets 8, qa 181, qb 32, scale 369",
    "bullet 8 screlu -> 1, buckets 12, features mirror(king(SQUARES / BUCKETS-9) * piece(COLORS * ROLES * SQUARES))",
    "bullet 8 crelu -> 1, features H + V",
];

#[test]
fn converted_nets_keep_their_weights_and_can_be_read_again() {
    for layout in LAYOUTS {
        let foreign = random(layout, 1);
        let net = foreign.to_net(serde_json::json!({ "imported": {} })).unwrap();
        assert_eq!(*net.weights().ft_weights, *foreign.ft_weights);
        assert_eq!(net.weights().ft_bias, foreign.ft_bias);
        // Buckets without positions are left out.
        let kept = &net.weights().dense[0].weights;
        let theirs = foreign.out_weights.iter().map(|&weight| i32::from(weight));
        assert!(theirs.take(kept.len()).eq(kept.iter().copied()), "{layout}");
        let bytes = net.to_bytes();
        let again = Net::from_bytes(&bytes, Path::new("again.oplus")).unwrap();
        assert_eq!(again.to_bytes(), bytes);
    }
}

/// Bullet rounds towards zero, twice for squares: the error is less than a centipawn plus the loss
/// of its first quotient.
#[test]
fn evaluations_are_those_of_bullet() {
    for (layout, seed) in LAYOUTS.into_iter().zip(0..) {
        let foreign = random(layout, seed);
        let net = Arc::new(foreign.to_net(serde_json::Value::Null).unwrap());
        let mut largest = 0;
        for seed in 0..40 {
            let mut stack = AccumulatorStack::new(net.clone());
            let game = random_game(seed, 60);
            let mut position = game.start;
            stack.reset(&position);
            for played in game.moves {
                let change = position.change(played.played);
                position.play(played.played);
                stack.push(change, &position);
                let (scene, turn) = (Scene::from(&position), position.turn());
                let ours = net.evaluate(&scene, turn);
                assert_eq!(stack.evaluate(turn), ours, "{layout}");
                let theirs = foreign.evaluate(&scene, turn);
                assert!((i64::from(ours) - theirs).abs() <= 1, "{layout}: {ours}, {theirs}");
                largest = largest.max(theirs.abs());
            }
        }
        assert!(largest > 100, "{layout}: {largest}");
    }
}

/// Sums of clipped activations are whole numbers on both sides; only the last quotient differs.
#[test]
fn sums_of_clipped_nets_are_those_of_bullet() {
    for layout in [LAYOUTS[1], LAYOUTS[3]] {
        let foreign = random(layout, 7);
        let net = foreign.to_net(serde_json::Value::Null).unwrap();
        let net = with_mix(&net, Mix { output: 1, psqt: 0, whole: 1 });
        for position in random_positions(7, 500) {
            let (scene, turn) = (Scene::from(&position), position.turn());
            let bucket = foreign.bucket(&scene);
            let bias = i64::from(foreign.out_bias[bucket]);
            let sum = foreign.products(&scene, turn, bucket) + bias;
            assert_eq!(i64::from(net.evaluate(&scene, turn)), sum, "{layout}");
        }
    }
}

#[test]
fn activations_lose_bits_until_sums_fit() {
    let mut foreign = random("bullet 512 crelu -> 1", 3);
    foreign.out_weights.fill(i16::MAX);
    let net = foreign.to_net(serde_json::Value::Null).unwrap();
    // 1,024 · 32,767 · 255 is four times 2³¹.
    assert_eq!(net.scales().transformer.unwrap().shift, 2);
    let start = Position::default();
    let (scene, turn) = (Scene::from(&start), start.turn());
    let [ours, theirs] = [i64::from(net.evaluate(&scene, turn)), foreign.evaluate(&scene, turn)];
    assert!((ours - theirs).abs() * 200 < theirs, "{ours}, {theirs}");

    let mut wide = random("bullet 4096 screlu -> 1, qa 1024", 3);
    wide.out_weights.fill(i16::MIN);
    assert!(matches!(wide.to_net(serde_json::Value::Null), Err(BulletError::Output)));
}

#[test]
fn hidden_layers_that_nets_here_cannot_have_are_refused() {
    let (layout, bytes) = by_hand("crelu");
    let net = BulletNet::from_bytes(&bytes, &layout).unwrap();
    let Err(BulletError::Layers { source }) = net.to_net(serde_json::Value::Null) else {
        panic!("two neurons");
    };
    assert!(source.in_one_line().contains("no multiple of 8"), "{}", source.in_one_line());
}

fn refused(bytes: &[u8], layout: &BulletLayout) -> String {
    BulletNet::from_bytes(bytes, layout).unwrap_err().to_string()
}

#[test]
fn files_may_be_filled_up_as_bullet_does_or_with_zeros() {
    let (layout, bytes) = by_hand("crelu");
    let missing = bytes.len().next_multiple_of(64) - bytes.len();
    assert!(missing > 6, "the filling begins again");
    let filled = |with: &[u8]| {
        let filling = with.iter().cycle().take(missing);
        bytes.iter().chain(filling).copied().collect::<Vec<u8>>()
    };
    for with in [b"bullet".as_slice(), b"\0"] {
        assert!(BulletNet::from_bytes(&filled(with), &layout).is_ok());
    }
    let (mut other, at) = (filled(b"bullet"), bytes.len() + 7);
    other[at] = b'x';
    let error = refused(&other, &layout);
    assert!(error.starts_with(&format!("byte {at}: the net ends before it")), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_refused_with_its_length() {
    let (layout, bytes) = by_hand("screlu");
    for end in 0..bytes.len() {
        let message = format!(
            "the file has {end} bytes, a net of this layout {} and up to 63 that fill it up; ",
            bytes.len()
        );
        assert!(refused(&bytes[..end], &layout).starts_with(&message), "cut at {end}");
    }
}

#[test]
fn a_hidden_layer_that_would_fit_is_named() {
    let (layout, bytes) = by_hand("screlu");
    let wider = BulletLayout { hidden: 16, ..layout.clone() };
    assert!(refused(&bytes, &wider).ends_with("a hidden layer of 2 would fit"));
    let buckets = BulletLayout { buckets: 8, ..layout };
    assert!(refused(&bytes, &buckets).ends_with("are features and buckets those of the file?"));
}

/// Inputs in the order of bullet's `Chess768`, for one side; `mirror` is 7 on a mirrored board,
/// else 0.
fn chess_768(position: &Position, perspective: Color, mirror: usize) -> BTreeSet<usize> {
    let over = if perspective == Color::White { 0 } else { 56 };
    let role = |role| match role {
        Role::Pawn => 0,
        Role::Knight => 1,
        Role::Bishop => 2,
        Role::Rook => 3,
        Role::Queen => 4,
        Role::King => 5,
    };
    let index = |(square, piece): (chess::Square, chess::Piece)| {
        let other = if piece.color == perspective { 0 } else { 384 };
        other + 64 * role(piece.role) + (usize::from(square) ^ over ^ mirror)
    };
    position.board().clone().into_iter().map(index).collect()
}

fn active(layout: &BulletLayout, position: &Position, perspective: Color) -> BTreeSet<usize> {
    let mut active: Vec<Feature> = Vec::new();
    layout.features.active(&Scene::from(position), perspective, &mut active);
    active.into_iter().map(|feature| feature.0 as usize).collect()
}

proptest! {
    #[test]
    fn inputs_are_in_bullet_s_order(seed: u64) {
        let plain: BulletLayout = "bullet 8 -> 1".parse().unwrap();
        // `ChessBucketsMirrored`: a copy of the inputs for each region of the own king, on
        // a board mirrored when it stands on files e to h.
        let regions: Vec<usize> = (0..32).map(|square| square / 3).collect();
        let mirrored = format!(
            "bullet 8 -> 1, features mirror(king(SQUARES / {regions:?}) * piece(COLORS * ROLES * SQUARES))"
        );
        let mirrored: BulletLayout = mirrored.parse().unwrap();
        let game = random_game(seed, 80);
        let mut position = game.start;
        for played in game.moves {
            position.play(played.played);
            for side in Color::ALL {
                prop_assert_eq!(active(&plain, &position, side), chess_768(&position, side, 0));
                let king = usize::from(position.board().king_of(side).unwrap());
                let king = if side == Color::White { king } else { king ^ 56 };
                let mirror = if king % 8 > 3 { 7 } else { 0 };
                let king = king ^ mirror;
                let copy = 768 * regions[4 * (king / 8) + king % 8];
                let expected: BTreeSet<usize> =
                    chess_768(&position, side, mirror).into_iter().map(|i| copy + i).collect();
                prop_assert_eq!(active(&mirrored, &position, side), expected);
            }
        }
    }
}
