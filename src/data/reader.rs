//! Entries out of a file of any format, a batch at a time: games, or the
//! positions of a list.
//!
//! While one batch is decoded on all cores, the next is read and cut into
//! entries on one of them. An entry that makes no sense is handed back as a
//! [`BadEntry`] in its place, so that whoever reads decides what to do and can
//! tell its number.

use std::path::Path;

use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

use super::batch::{Batch, Extent};
use super::{
    BadEntry, DataError, Format, Game, ListedPosition, Source, SourceInfo, archive, binpack,
    bulletformat, list, pgn, records, sfen, viriformat,
};

/// Knows where one entry ends and the next begins.
enum Splitter {
    Pgn(pgn::Splitter),
    Viriformat(viriformat::Splitter),
    Lines(list::Splitter),
    Records(records::Splitter),
    Archive(archive::Splitter),
    Binpack(binpack::Splitter),
}

impl Splitter {
    fn next_batch(&mut self, source: &mut Source, most: usize) -> Result<Batch, DataError> {
        let mut batch = Batch::of(most);
        match self {
            Splitter::Pgn(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Viriformat(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Lines(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Records(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Archive(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Binpack(splitter) => splitter.fill(source, &mut batch)?,
        }
        Ok(batch)
    }
}

/// Understands an entry that begins at that place (line or byte) of its file.
type Decode<E> = fn(&[u8], u64) -> Result<E, BadEntry>;

/// Understands entries that are packed together.
type DecodeSeveral<E> = dyn Fn(&[u8], u64) -> Vec<Result<E, BadEntry>> + Send + Sync;

/// Understands a piece of a file: one entry, or as many as are packed together.
enum Decoder<E> {
    One(Decode<E>),
    Several(Box<DecodeSeveral<E>>),
}

impl<E> Decoder<E> {
    fn decode(&self, bytes: &[u8], place: u64) -> SmallVec<[Result<E, BadEntry>; 1]> {
        match self {
            Self::One(decode) => smallvec![decode(bytes, place)],
            Self::Several(decode) => decode(bytes, place).into(),
        }
    }
}

/// Reads the entries of one file in order.
pub struct Reader<E> {
    source: Source,
    format: Format,
    splitter: Splitter,
    decoder: Decoder<E>,
    /// The batch to decode next; empty at the end of the file.
    ahead: Option<Result<Batch, DataError>>,
    /// Only the first so many entries are wanted.
    few: Option<usize>,
}

pub type GameReader = Reader<Game>;

pub type ListReader = Reader<ListedPosition>;

/// A file opened for what it holds.
pub enum DataFile {
    Games(GameReader),
    /// A list of positions.
    List(ListReader),
}

impl DataFile {
    /// Opens a file of a known format, plain or zstd.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let mut source = Source::open(path)?;
        let format = Format::detect(path, &mut source)?;
        let lines = || Splitter::Lines(list::Splitter::default());
        let records = |bytes| Splitter::Records(records::Splitter::new(bytes));
        Ok(match format {
            Format::Pgn => {
                let splitter = Splitter::Pgn(pgn::Splitter::default());
                DataFile::Games(Reader::new(source, format, splitter, pgn::decode))
            }
            Format::Archive => {
                let (splitter, codecs) = archive::begin(&mut source)?;
                let decode = move |bytes: &[u8], place| archive::decode(&codecs, bytes, place);
                let decoder = Decoder::Several(Box::new(decode));
                let splitter = Splitter::Archive(splitter);
                DataFile::Games(Reader {
                    source,
                    format,
                    splitter,
                    decoder,
                    ahead: None,
                    few: None,
                })
            }
            Format::Binpack => {
                let splitter = Splitter::Binpack(binpack::Splitter::default());
                let decoder = Decoder::Several(Box::new(binpack::decode));
                DataFile::Games(Reader {
                    source,
                    format,
                    splitter,
                    decoder,
                    ahead: None,
                    few: None,
                })
            }
            Format::Viriformat => {
                let splitter = Splitter::Viriformat(viriformat::Splitter::default());
                DataFile::Games(Reader::new(source, format, splitter, viriformat::decode))
            }
            Format::ScoredText => {
                DataFile::List(Reader::new(source, format, lines(), list::decode_scored_text))
            }
            Format::Epd => DataFile::List(Reader::new(source, format, lines(), list::decode_epd)),
            Format::Bulletformat => {
                let records = records(bulletformat::RECORD_BYTES);
                DataFile::List(Reader::new(source, format, records, bulletformat::decode))
            }
            Format::Sfen => {
                let records = records(sfen::RECORD_BYTES);
                DataFile::List(Reader::new(source, format, records, sfen::decode))
            }
        })
    }

    pub fn format(&self) -> Format {
        match self {
            DataFile::Games(reader) => reader.format,
            DataFile::List(reader) => reader.format,
        }
    }
}

impl GameReader {
    /// Opens a file of games; a list of positions is an error.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        match DataFile::open(path)? {
            DataFile::Games(reader) => Ok(reader),
            DataFile::List(reader) => {
                Err(DataError::NotGames { path: path.to_owned(), format: reader.format.name() })
            }
        }
    }
}

impl<E> Reader<E> {
    fn new(source: Source, format: Format, splitter: Splitter, decode: Decode<E>) -> Self {
        let decoder = Decoder::One(decode);
        Self { source, format, splitter, decoder, ahead: None, few: None }
    }

    /// Takes no more of the file than the first so many entries need: batches are small, and
    /// none is read ahead.
    pub fn only_first(&mut self, entries: usize) {
        self.few = Some(match self.decoder {
            Decoder::One(_) => entries.max(1),
            // They come many at a time.
            Decoder::Several(_) => 1,
        });
    }

    /// Bytes of the file taken in so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// What is wrong with the entry of that number, from 1, with file and place.
    pub fn message(&self, number: u64, bad: &BadEntry) -> String {
        let path = self.source.path().display();
        if self.format.has_games() {
            format!("{path}: game {number}, {bad}")
        } else {
            format!("{path}: {bad}")
        }
    }

    /// Decodes a batch of entries in parallel and puts each through `map`.
    /// Results come in file order; `None` at the end of the file.
    ///
    /// Errors are of the file as a whole; a bad entry is a part of the batch.
    pub fn next_batch<T, F>(
        &mut self,
        map: F,
    ) -> Result<Option<Vec<Result<T, BadEntry>>>, DataError>
    where
        T: Send,
        F: Fn(E) -> T + Sync,
    {
        let batch = match self.ahead.take() {
            Some(batch) => batch?,
            None => self.splitter.next_batch(&mut self.source, self.few.unwrap_or(usize::MAX))?,
        };
        if batch.entries.is_empty() {
            self.ahead = Some(Ok(batch));
            return Ok(None);
        }
        let (decoder, map) = (&self.decoder, &map);
        let understand = |entry: &Extent| {
            let entries = decoder.decode(&batch.bytes[entry.range.clone()], entry.place);
            entries.into_iter().map(|entry| entry.map(map))
        };
        if self.few.is_some() {
            return Ok(Some(batch.entries.par_iter().flat_map_iter(understand).collect()));
        }
        let (ahead, decoded) = rayon::join(
            || self.splitter.next_batch(&mut self.source, usize::MAX),
            || batch.entries.par_iter().flat_map_iter(understand).collect(),
        );
        self.ahead = Some(ahead);
        Ok(Some(decoded))
    }

    /// Closes the file and says what it was.
    pub fn finish(self) -> Result<SourceInfo, DataError> {
        self.source.finish()
    }
}
