//! The active features of a batch, with or without values.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Dispatch, ExtensionType};
use burn::tensor::{Int, Tensor, TensorData};

use super::found::Layout;
use super::indices::IndexForm;
use super::inverse::Inverse;
use crate::device::list;

/// The active features of each row of a batch, and of a valued set the value
/// of each.
#[derive(Clone, Debug)]
pub struct ActiveFeatures {
    /// `[rows, words]`.
    indices: Tensor<2, Int>,
    form: IndexForm,
    values: Option<Tensor<2>>,
    inverse: Option<InverseTensors>,
    groups: Option<GroupTensors>,
}

/// [`RowOrder`](super::RowOrder) on a graphics card, with the groups of its set's
/// [lookup](super::PieceLookup).
#[derive(Clone, Debug)]
struct GroupTensors {
    slots: Tensor<1, Int>,
    order: Tensor<1, Int>,
    layout: GroupLayout,
}

/// Features and rows of the groups of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupLayout {
    /// Features of the largest group.
    pub most: usize,
    /// Of the order of the rows.
    pub order: Layout,
}

/// [`Inverse`] on a device.
#[derive(Clone, Debug)]
struct InverseTensors {
    rows: Tensor<1, Int>,
    values: Option<Tensor<1>>,
    part_starts: Tensor<1, Int>,
    first_parts: Tensor<1, Int>,
}

impl ActiveFeatures {
    /// `indices [rows, width]`: each row's features first and then
    /// [`PADDING`](super::PADDING). `values`, of the same shape, are the factors of their weights;
    /// those beside padding are not read. A binary set has no values: all of them are 1.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn new(indices: Tensor<2, Int>, values: Option<Tensor<2>>) -> Self {
        Self::in_form(IndexForm::Word, indices, values)
    }

    /// The same of lists in a form: `indices [rows, words]`.
    ///
    /// # Panics
    /// If there is another number of values than of indices.
    pub fn in_form(form: IndexForm, indices: Tensor<2, Int>, values: Option<Tensor<2>>) -> Self {
        if let Some(values) = &values {
            let [rows, words] = indices.dims();
            assert_eq!(values.dims(), [rows, words * form.of_word()], "a value per index");
        }
        Self { indices, form, values, inverse: None, groups: None }
    }

    /// The same with their inverse, which [`gpu`](crate::Compute::Gpu)
    /// needs for the backward pass.
    ///
    /// # Panics
    /// If only one of the two has values.
    pub fn with_inverse(self, inverse: Inverse) -> Self {
        let device = self.indices.device();
        let Inverse { rows, values, part_starts, first_parts } = inverse;
        assert_eq!(values.is_some(), self.values.is_some(), "values here and there");
        let inverse = InverseTensors {
            rows: list(rows, &device),
            values: values.map(|values| {
                let len = values.len();
                Tensor::from_data(TensorData::new(values, [len]), &device)
            }),
            part_starts: list(part_starts, &device),
            first_parts: list(first_parts, &device),
        };
        Self { inverse: Some(inverse), ..self }
    }

    /// The same with the rows by group: of each feature its slot, and the order of the rows.
    #[cfg(feature = "wgpu")]
    pub(super) fn with_groups(
        self,
        slots: Tensor<1, Int>,
        order: Tensor<1, Int>,
        layout: GroupLayout,
    ) -> Self {
        assert_eq!(layout.order.rows, self.rows(), "a group of each row");
        Self { groups: Some(GroupTensors { slots, order, layout }), ..self }
    }

    pub fn rows(&self) -> usize {
        self.indices.dims()[0]
    }

    pub(super) fn into_dispatch(self) -> ActivePrimitive<Dispatch> {
        let indices = self.indices.into_dispatch();
        let form = self.form;
        let entries = match self.values {
            None => EntriesPrimitive::Binary { indices, form },
            Some(values) => {
                EntriesPrimitive::Valued { indices, form, values: values.into_dispatch() }
            }
        };
        let inverse = match (self.inverse, self.groups) {
            (Some(inverse), _) => inverse.into_dispatch(),
            (None, Some(groups)) => groups.into_dispatch(),
            (None, None) => InversePrimitive::Absent,
        };
        ActivePrimitive { entries, inverse }
    }
}

impl GroupTensors {
    fn into_dispatch(self) -> InversePrimitive<Dispatch> {
        let Self { slots, order, layout } = self;
        let (slots, order) = (slots.into_dispatch(), order.into_dispatch());
        InversePrimitive::Grouped { slots, order, layout }
    }
}

impl InverseTensors {
    fn into_dispatch(self) -> InversePrimitive<Dispatch> {
        let rows = self.rows.into_dispatch();
        let part_starts = self.part_starts.into_dispatch();
        let first_parts = self.first_parts.into_dispatch();
        match self.values {
            None => InversePrimitive::Binary { rows, part_starts, first_parts },
            Some(values) => {
                let values = values.into_dispatch();
                InversePrimitive::Valued { rows, values, part_starts, first_parts }
            }
        }
    }
}

/// [`ActiveFeatures`] as a backend sees them.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct ActivePrimitive<B: Backend> {
    /// By row.
    #[extension_type]
    pub entries: EntriesPrimitive<B>,
    /// By feature.
    #[extension_type]
    pub inverse: InversePrimitive<B>,
}

/// The active features of each row.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) enum EntriesPrimitive<B: Backend> {
    /// Of a binary set.
    Binary {
        /// `[rows, words]`.
        indices: IntTensor<B>,
        form: IndexForm,
    },
    /// Of a valued set.
    Valued {
        /// `[rows, words]`.
        indices: IntTensor<B>,
        form: IndexForm,
        /// `[rows, width]`.
        values: FloatTensor<B>,
    },
}

/// The rows of each active feature, as in [`Inverse`].
#[derive(Clone, Debug, ExtensionType)]
pub(crate) enum InversePrimitive<B: Backend> {
    /// Not there: the backend makes its own, or goes forward only.
    Absent,
    /// The rows by group, of a binary set.
    Grouped {
        /// `[features]`: `group * MOST_MARKED + place`, −1 in no group.
        slots: IntTensor<B>,
        /// As in [`RowOrder`](super::RowOrder).
        order: IntTensor<B>,
        /// Sizes of its parts.
        layout: GroupLayout,
    },
    /// Of a binary set.
    Binary {
        /// `[pairs]`.
        rows: IntTensor<B>,
        /// `[parts + 1]`.
        part_starts: IntTensor<B>,
        /// `[features + 1]`.
        first_parts: IntTensor<B>,
    },
    /// Of a valued set.
    Valued {
        /// `[pairs]`.
        rows: IntTensor<B>,
        /// `[pairs]`.
        values: FloatTensor<B>,
        /// `[parts + 1]`.
        part_starts: IntTensor<B>,
        /// `[features + 1]`.
        first_parts: IntTensor<B>,
    },
}

impl<B: Backend, C: CheckpointStrategy> ActivePrimitive<Autodiff<B, C>> {
    /// The same as constants: nothing is differentiated by the values.
    pub(super) fn detached(self) -> ActivePrimitive<B> {
        let entries = match self.entries {
            EntriesPrimitive::Binary { indices, form } => {
                EntriesPrimitive::Binary { indices, form }
            }
            EntriesPrimitive::Valued { indices, form, values } => {
                EntriesPrimitive::Valued { indices, form, values: values.into_primitive() }
            }
        };
        let inverse = match self.inverse {
            InversePrimitive::Absent => InversePrimitive::Absent,
            InversePrimitive::Grouped { slots, order, layout } => {
                InversePrimitive::Grouped { slots, order, layout }
            }
            InversePrimitive::Binary { rows, part_starts, first_parts } => {
                InversePrimitive::Binary { rows, part_starts, first_parts }
            }
            InversePrimitive::Valued { rows, values, part_starts, first_parts } => {
                let values = values.into_primitive();
                InversePrimitive::Valued { rows, values, part_starts, first_parts }
            }
        };
        ActivePrimitive { entries, inverse }
    }
}
