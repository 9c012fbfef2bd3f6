//! A range test of learning rates: a sheet and a plot, without a page around them.

use std::path::{Path, PathBuf};

use super::ReportError;
use super::files::write_whole;
use super::plot::rates;
use super::sheet::Sheet;

/// Loss by learning rate, as it rose from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateCurve {
    /// Of which net, for people.
    pub title: String,
    /// One for each step, in order.
    pub points: Vec<RatePoint>,
    /// The rate to begin with, if there is one.
    pub recommended: Option<f64>,
}

/// A step at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePoint {
    pub rate: f64,
    /// The loss before it.
    pub loss: f64,
    /// Mean of this loss and those before, the older the less they count.
    pub smoothed: f64,
}

/// Writes `rates.csv` and `rates.svg` into a folder, which is made if it is missing.
///
/// # Errors
/// If they cannot be drawn or written.
pub fn write(curve: &RateCurve, dir: &Path) -> Result<[PathBuf; 2], ReportError> {
    let plot = rates::draw(curve)
        .map_err(|source| ReportError::Draw { experiment: curve.title.clone(), source })?;
    let sheet = sheet(curve)
        .map_err(|source| ReportError::Sheet { name: "rates.csv".to_owned(), source })?;
    std::fs::create_dir_all(dir)
        .map_err(|source| ReportError::Write { path: dir.to_owned(), source })?;
    let sheet = write_whole(dir, "rates.csv", &sheet)?;
    Ok([sheet, write_whole(dir, "rates.svg", plot.standalone().as_bytes())?])
}

fn sheet(curve: &RateCurve) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    sheet.write_record(["learning_rate", "loss", "smoothed"])?;
    for RatePoint { rate, loss, smoothed } in &curve.points {
        sheet.write_record([rate, loss, smoothed].map(f64::to_string))?;
    }
    sheet.finished()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> RateCurve {
        let point = |step: i32| {
            let rate = 1e-6 * 10f64.powf(f64::from(step) / 10.0);
            let loss = if rate < 1e-2 { 0.02 - 2.0 * rate.min(5e-3) } else { rate };
            RatePoint { rate, loss: loss * 1.1, smoothed: loss }
        };
        let title = "ALL <128>".to_owned();
        RateCurve { title, points: (0..50).map(point).collect(), recommended: Some(1e-3) }
    }

    #[test]
    fn the_sheet_holds_every_step_and_the_plot_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let [sheet, plot] = write(&curve(), &dir.path().join("new")).unwrap();
        let mut sheet = csv::Reader::from_path(sheet).unwrap();
        let rows: Vec<[f64; 3]> = sheet.deserialize().map(Result::unwrap).collect();
        let points = curve().points.into_iter().map(|p| [p.rate, p.loss, p.smoothed]);
        assert_eq!(rows, points.collect::<Vec<_>>());
        let plot = std::fs::read_to_string(plot).unwrap();
        let plot = roxmltree::Document::parse(&plot).unwrap();
        let texts: Vec<&str> = plot.descendants().filter_map(|node| node.text()).collect();
        for told in ["loss", "learning rate", "begin with 0.001"] {
            assert!(texts.iter().any(|text| text.contains(told)), "{told}: {texts:?}");
        }
    }

    #[test]
    fn without_a_recommendation_or_points_it_is_drawn_all_the_same() {
        for points in [curve().points, Vec::new()] {
            let curve = RateCurve { recommended: None, points, ..curve() };
            let text = rates::draw(&curve).unwrap().standalone();
            assert!(!text.contains("begin with"));
            assert!(roxmltree::Document::parse(&text).is_ok());
        }
    }
}
