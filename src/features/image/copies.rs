//! Images by copies: the selected copy of a product determines the active copy of its image.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::NoImage;
use crate::block::{Anchoring, Block};
use crate::feature::Feature;
use crate::set::FeatureSet;

/// Target rows of `block` in `part`, which differs in its one-hot factors alone; by exhaustion of
/// all states of these factors.
pub(super) fn search(
    set: &FeatureSet,
    block: &Block,
    image: &FeatureSet,
    part: &Block,
) -> Result<Vec<Option<Feature>>, NoImage> {
    let say = |set: &FeatureSet, copy: u32| set.describe(Feature(copy));
    let mut copies: HashMap<u32, Option<u32>> = HashMap::new();
    for at in Anchoring::all([block, part]) {
        let coarse = part.copy_at(&at);
        let Some(fine) = block.copy_at(&at) else {
            match coarse {
                Some(copy) => return Err(NoImage::Silent(say(image, copy))),
                None => continue,
            }
        };
        match copies.entry(fine) {
            Entry::Vacant(entry) => drop(entry.insert(coarse)),
            Entry::Occupied(entry) if *entry.get() == coarse => {}
            Entry::Occupied(entry) => {
                let [one, other] = [*entry.get(), coarse]
                    .map(|copy| copy.map_or("nothing".to_owned(), |copy| say(image, copy)));
                return Err(NoImage::Coarser(say(set, fine), one, other));
            }
        }
    }
    let mut rows = vec![None; set.size()];
    let features = block.features_of_copy().into_iter().zip(part.features_of_copy());
    let features: Vec<(u32, u32)> = features.collect();
    for (fine, coarse) in copies {
        let Some(coarse) = coarse else { continue };
        for (from, to) in &features {
            rows[(fine + from) as usize] = Some(Feature(coarse + to));
        }
    }
    Ok(rows)
}
