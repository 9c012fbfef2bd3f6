//! Sets so small that some columns of all their weights fit the shared memory of a cube.

use cubecl::client::Client;

/// Fewest columns that are worth reading together: what a unit moves in one instruction.
const FEWEST_COLUMNS: usize = 4;

/// Most columns of a tile: rows of them fill a line of the cache.
const MOST_COLUMNS: usize = 32;

/// How the weights of a small set are cut into tiles of columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallSet {
    pub features: usize,
    /// Floats that a unit reads at once.
    pub vector: usize,
    /// Vectors of a row.
    pub lanes: usize,
    /// Vectors of a row of a tile.
    pub tile_lanes: usize,
}

impl SmallSet {
    /// With rows of so many vectors of so many floats; `None` for a set that is too large for the
    /// device.
    pub(super) fn new(
        client: &Client,
        features: usize,
        lanes: usize,
        vector: usize,
    ) -> Option<Self> {
        let room = most_columns(client.properties().hardware.max_shared_memory_size, features)?;
        let most_lanes = room.min(MOST_COLUMNS) / vector;
        let mut tile_lanes = 1;
        while 2 * tile_lanes <= most_lanes && lanes.is_multiple_of(2 * tile_lanes) {
            tile_lanes *= 2;
        }
        Some(Self { features, vector, lanes, tile_lanes })
    }

    /// Tiles beside each other.
    pub(super) fn tiles(self) -> usize {
        self.lanes / self.tile_lanes
    }
}

/// Whether a device with so many bytes of shared memory keeps weights of such a set there, and
/// needs no inverse of its lists.
pub(crate) fn is_small(shared_memory: usize, features: usize) -> bool {
    most_columns(shared_memory, features).is_some()
}

fn most_columns(shared_memory: usize, features: usize) -> Option<usize> {
    let columns = shared_memory / (features * size_of::<f32>()).max(1);
    (columns >= FEWEST_COLUMNS).then_some(columns)
}
