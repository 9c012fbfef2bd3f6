//! Pictures as pixels.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::ReportError;
use crate::plot::Svg;

/// Fonts of this machine: a raster picture needs one, where a vector picture
/// leaves the choice to the viewer.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    let known = |name: &str| {
        fonts.query(&fontdb::Query {
            families: &[fontdb::Family::Name(name)],
            ..fontdb::Query::default()
        })
    };
    // `sans-serif` stands for the first fonts of pages, which systems may lack.
    let sans = ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans"];
    let sans = sans.into_iter().find(|name| known(name).is_some()).map(str::to_owned);
    let first = fonts.faces().next().and_then(|face| face.families.first()).map(|it| it.0.clone());
    if let Some(name) = sans.or(first) {
        fonts.set_sans_serif_family(name);
    }
    Arc::new(fonts)
});

/// A picture as PNG, of as many pixels as it has CSS pixels.
///
/// # Errors
/// A machine without fonts.
pub(crate) fn png(picture: &Svg) -> Result<Vec<u8>, ReportError> {
    if FONTS.is_empty() {
        return Err(ReportError::NoFonts);
    }
    let options = Options { fontdb: FONTS.clone(), ..Options::default() };
    let failed = |reason: String| ReportError::Raster { reason };
    let tree =
        Tree::from_str(&picture.standalone(), &options).map_err(|it| failed(it.to_string()))?;
    let (width, height) = picture.size();
    let pixels = Pixmap::new(width.round() as u32, height.round() as u32);
    let mut pixels = pixels.ok_or_else(|| failed("it has no size".to_owned()))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|it| failed(it.to_string()))
}
