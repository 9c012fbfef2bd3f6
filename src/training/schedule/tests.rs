//! The shapes, as laws.

use super::*;
use crate::TrainingConfig;
use proptest::prelude::*;

/// Learning rates and WDL weights of a whole run.
fn run(config: &TrainingConfig) -> Vec<f64> {
    let steps = config.batches_per_epoch() * u64::from(config.epochs);
    (0..steps).map(|step| config.learning_rate_at(step)).collect()
}

prop_compose! {
    /// A run of some epochs of some steps, all of one position.
    fn runs()(epochs in 1u32..12, steps in 1u64..30, learning_rate in 1e-5..1e-1, gamma in 0.3..=1.0)
        -> TrainingConfig
    {
        TrainingConfig {
            epochs, positions_per_epoch: steps, batch: 1, learning_rate, gamma,
            ..Default::default()
        }
    }
}

fn schedules() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        Just(Schedule::Exponential {}),
        (1u32..6, 0.1..=1.0).prop_map(|(every, factor)| Schedule::Step { every, factor }),
        (0.0..1e-5).prop_map(|last| Schedule::Cosine { last }),
        (0.0..1e-5).prop_map(|last| Schedule::Linear { last }),
    ]
}

proptest! {
    #[test]
    fn rates_start_at_the_first_and_never_rise(
        config in runs(), schedule in schedules(),
    ) {
        let rates = run(&TrainingConfig { schedule, ..config.clone() });
        prop_assert_eq!(rates[0], config.learning_rate);
        prop_assert!(rates.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{:?}", rates);
        prop_assert!(rates.iter().all(|&rate| rate >= 0.0));
    }

    #[test]
    fn smooth_shapes_end_at_the_last_and_are_symmetric(
        config in runs(), last in 0.0..1e-5,
    ) {
        for schedule in [Schedule::Cosine { last }, Schedule::Linear { last }] {
            let rates = run(&TrainingConfig { schedule, ..config.clone() });
            if rates.len() > 1 {
                prop_assert_eq!(rates[rates.len() - 1], last);
                let sum = config.learning_rate + last;
                for (a, b) in rates.iter().zip(rates.iter().rev()) {
                    prop_assert!((a + b - sum).abs() < 1e-12 * sum);
                }
            }
        }
    }

    #[test]
    fn a_line_has_equal_steps_and_a_cosine_is_above_it_first(config in runs(), last in 0.0..1e-5) {
        let line = run(&TrainingConfig { schedule: Schedule::Linear { last }, ..config.clone() });
        let wave = run(&TrainingConfig { schedule: Schedule::Cosine { last }, ..config.clone() });
        for w in line.windows(3) {
            prop_assert!((w[0] - 2.0 * w[1] + w[2]).abs() < 1e-12);
        }
        for (line, wave) in line.iter().zip(&wave).take(line.len() / 2) {
            prop_assert!(wave >= &(line * (1.0 - 1e-12)));
        }
    }

    #[test]
    fn steps_change_only_at_their_epochs(config in runs(), every in 1u32..6, factor in 0.1..0.9) {
        let rates =
            run(&TrainingConfig { schedule: Schedule::Step { every, factor }, ..config.clone() });
        let span = config.batches_per_epoch() * u64::from(every);
        for (i, w) in rates.windows(2).enumerate() {
            let ratio = if (i as u64 + 1).is_multiple_of(span) { factor } else { 1.0 };
            prop_assert!((w[1] / w[0] - ratio).abs() < 1e-9);
        }
    }

    #[test]
    fn exponential_is_a_step_after_every_epoch(config in runs()) {
        let schedule = Schedule::Step { every: 1, factor: config.gamma };
        prop_assert_eq!(run(&config), run(&TrainingConfig { schedule, ..config.clone() }));
    }

    #[test]
    fn a_warm_up_rises_in_equal_steps_and_leaves_the_rest(
        config in runs(), schedule in schedules(), warmup in 1u64..60,
    ) {
        let cold = TrainingConfig { schedule, ..config };
        let warm = TrainingConfig { warmup, ..cold.clone() };
        for (i, (cold, warm)) in run(&cold).into_iter().zip(run(&warm)).enumerate() {
            let share = ((i + 1) as f64 / warmup as f64).min(1.0);
            prop_assert!((warm - cold * share).abs() <= 1e-15 * cold);
            prop_assert!(warm > 0.0 || cold == 0.0);
        }
    }

    #[test]
    fn the_wdl_weight_goes_from_one_end_to_the_other(
        config in runs(), from in 0.0..=1.0, to in 0.0..=1.0,
    ) {
        let steps = config.batches_per_epoch() * u64::from(config.epochs);
        let weight = |wdl, step| {
            TrainingConfig { wdl, ..config.clone() }.wdl_at(step)
        };
        let (constant, line) = (WdlWeight::Constant(from), WdlWeight::Line { from, to });
        prop_assert_eq!(weight(line, 0), from);
        for step in 0..steps {
            prop_assert_eq!(weight(constant, step), from);
            let at = weight(line, step);
            prop_assert!(from.min(to) <= at + 1e-12 && at <= from.max(to) + 1e-12);
        }
        if steps > 1 {
            prop_assert_eq!(weight(line, steps - 1), to);
            prop_assert_eq!(weight(line, steps + 10), to);
        }
    }

    #[test]
    fn the_command_line_says_the_same_as_the_file(schedule in schedules()) {
        let table = toml::Table::try_from(schedule).unwrap();
        let kind = table["kind"].as_str().unwrap();
        let rest: Vec<String> =
            table.iter().filter(|(k, _)| *k != "kind").map(|(k, v)| format!("{k}={v}")).collect();
        prop_assert_eq!(format!("{kind}:{}", rest.join(",")).parse::<Schedule>().unwrap(), schedule);
    }
}

#[test]
fn kinds_and_keys_are_checked() {
    for (text, part) in [
        ("cosin:final=1", "unknown variant `cosin`"),
        ("cosine", "missing field `final`"),
        ("cosine:fina=1e-5", "unknown field `fina`"),
        ("exponential:gamma=0.9", "unknown field `gamma`"),
        ("step:every=0.5,factor=1", "invalid type"),
    ] {
        let error = text.parse::<Schedule>().unwrap_err();
        assert!(error.contains(part) && error.contains("cosine:final=1e-5"), "{text}: {error}");
    }
    assert_eq!("exponential".parse(), Ok(Schedule::default()));
}

#[test]
fn wdl_weights_are_numbers_or_lines() {
    let read = |text: &str| toml::from_str::<TrainingConfig>(&format!("wdl = {text}"));
    let line = WdlWeight::Line { from: 0.0, to: 0.5 };
    assert_eq!(read("0.25").unwrap().wdl, WdlWeight::Constant(0.25));
    assert_eq!(read("1").unwrap().wdl, WdlWeight::Constant(1.0));
    assert_eq!(read("{ from = 0, to = 0.5 }").unwrap().wdl, line);
    for (text, part) in [
        ("\"much\"", "a number from 0 to 1 or a table"),
        ("{ from = 0.0, too = 0.5 }", "unknown field `too`"),
        ("{ from = 0.0 }", "missing field `to`"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.message().contains(part), "{text}: {error}");
    }
    assert_eq!("0..0.5".parse(), Ok(line));
    assert_eq!("0.25".parse(), Ok(WdlWeight::Constant(0.25)));
    assert!("0..".parse::<WdlWeight>().is_err());
}
