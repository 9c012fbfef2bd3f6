//! A net for static evaluations.

use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use thread_local::ThreadLocal;

use super::{Filter, StaticEvaluation};
use chess::Position;
use nnue::{AccumulatorStack, Net, NetError};

/// A net for any number of threads.
pub struct StaticNet {
    net: Arc<Net>,
    accumulators: ThreadLocal<RefCell<AccumulatorStack>>,
}

impl StaticNet {
    pub fn new(net: Arc<Net>) -> Self {
        Self { net, accumulators: ThreadLocal::new() }
    }
}

impl StaticEvaluation for StaticNet {
    fn centipawns(&self, position: &Position) -> i32 {
        let fresh = || RefCell::new(AccumulatorStack::new(self.net.clone()));
        let mut accumulators = self.accumulators.get_or(fresh).borrow_mut();
        accumulators.reset(position);
        accumulators.evaluate(position.turn())
    }
}

impl fmt::Debug for StaticNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StaticNet").field(&self.net.fingerprint()).finish()
    }
}

impl Filter {
    /// Loads its net, if it has one.
    ///
    /// # Errors
    /// A file that is no net.
    pub fn open(self) -> Result<Filter<StaticNet>, NetError> {
        self.with_net(|path: PathBuf| Ok(StaticNet::new(Arc::new(Net::load(&path)?))))
    }
}
