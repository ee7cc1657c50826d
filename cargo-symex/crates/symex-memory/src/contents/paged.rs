//! Contents of larger objects: pages of 256 bytes, made when first written and shared between
//! forks.
//!
//! An absent page is as the object was when allocated, so a large object that is barely touched
//! costs little, and constant data is read where the program keeps it. Pages are in groups of 64 so
//! that the first write after a fork copies little even in an object of many megabytes.

use super::block::{Block, ContentsPiece};
use crate::counters::Counters;
use crate::footprint::Footprint;
use crate::object::Initial;
use std::rc::Rc;
use symex_terms::Value;

pub(crate) const PAGE: usize = 256;
const GROUP: usize = 64;

/// Greatest number of pages that may differ from the others in an object that counts as blank.
const FEW: usize = 4;

/// A page: a block of 256 bytes.
pub(super) type Page = Block<PAGE, 5, 2>;

type PageGroup = [Option<Rc<Page>>; GROUP];

static ZEROS: [u8; PAGE] = [0; PAGE];

/// Pages of an object.
pub(crate) struct Paged {
    initial: Initial,
    /// Size of the object in bytes, if copies share no pages: a copy then gets pages of its own for
    /// all of it.
    whole: Option<u64>,
    groups: Vec<Option<Rc<PageGroup>>>,
    /// Number of pages made so far.
    made: usize,
}

impl Clone for Paged {
    fn clone(&self) -> Self {
        let mut copy = Paged {
            initial: self.initial.clone(),
            whole: self.whole,
            groups: self.groups.clone(),
            made: self.made,
        };
        for at in (0..self.whole.unwrap_or(0)).step_by(PAGE) {
            copy.make_page(at);
            if let Some(page) = copy.place(at) {
                Rc::make_mut(page);
            }
        }
        copy
    }
}

impl Paged {
    pub fn new(initial: Initial) -> Self {
        Paged {
            initial,
            whole: None,
            groups: Vec::new(),
            made: 0,
        }
    }

    /// Makes copies of an object of `size` bytes share no pages: the baseline with which \[FGM\] is
    /// compared.
    pub fn copied_whole(self, size: u64) -> Self {
        Paged {
            whole: Some(size),
            ..self
        }
    }

    /// Reports whether the pages have no terms.
    pub fn is_plain(&self) -> bool {
        let mut pages = self
            .groups
            .iter()
            .flatten()
            .flat_map(|group| group.iter().flatten());
        pages.all(|page| !page.has_terms())
    }

    /// Reports whether all but a few pages are as one value filled them: at allocation, or later by
    /// one operation.
    pub fn is_blank(&self) -> bool {
        let born = !matches!(self.initial, Initial::Bytes(_));
        if self.made <= FEW {
            return born;
        }
        // What more than half of the pages are outlives all others when unlike ones cancel out.
        let pages = || {
            let groups = self.groups.iter();
            groups.flat_map(|group| {
                (0..GROUP).map(move |i| group.as_ref()?[i].as_ref().map(Rc::as_ptr))
            })
        };
        let (mut most, mut lead) = (None, 0usize);
        for page in pages() {
            match page == most {
                true => lead += 1,
                false if lead == 0 => (most, lead) = (page, 1),
                false => lead -= 1,
            }
        }
        let others = pages().filter(|page| *page != most).count();
        others <= FEW && (most.is_some() || born)
    }

    /// Returns the approximate bytes of the pages made so far.
    pub fn bytes(&self) -> usize {
        self.made * (size_of::<Page>() + 16) + self.groups.len() * size_of::<usize>()
    }

    /// Adds the pages made so far to a footprint.
    pub fn measure(&self, into: &mut Footprint, shared: bool) {
        for group in self.groups.iter().flatten() {
            let Some(shared) = into.contents(group, shared) else {
                continue;
            };
            for page in group.iter().flatten() {
                into.contents(page, shared);
            }
        }
    }

    #[inline]
    fn page(&self, at: u64) -> Option<&Page> {
        let p = (at as usize) / PAGE;
        self.groups.get(p / GROUP)?.as_ref()?[p % GROUP].as_deref()
    }

    #[inline]
    pub fn load_fast(&self, at: u64, len: usize) -> Option<Value> {
        let low = at as usize % PAGE;
        match self.page(at) {
            Some(page) if low + len <= PAGE => page.load_fast(low, len),
            Some(_) => None,
            None => match &self.initial {
                Initial::Bytes(all) if low + len <= PAGE => {
                    let b = all.get(at as usize..at as usize + len)?;
                    let mut word = [0; 8];
                    word[..len].copy_from_slice(b);
                    Some(Value::Int(u64::from_le_bytes(word)))
                }
                Initial::Zero if low + len <= PAGE => Some(Value::Int(0)),
                _ => None,
            },
        }
    }

    #[inline]
    pub fn store_fast(&mut self, counters: &Counters, at: u64, len: usize, value: Value) -> bool {
        let low = at as usize % PAGE;
        if low + len > PAGE {
            return false;
        }
        let p = at as usize / PAGE;
        if let Some(Some(group)) = self.groups.get_mut(p / GROUP)
            && let Some(page) = &mut Rc::make_mut(group)[p % GROUP]
        {
            return counters.own(page).store_fast(low, len, value);
        }
        self.page_mut(counters, at).store_fast(low, len, value)
    }

    fn birth(&self, at: u64) -> Page {
        let start = at as usize / PAGE * PAGE;
        match &self.initial {
            Initial::Uninit => Page::empty(),
            Initial::Zero => Page::concrete(&[]),
            Initial::Bytes(all) => {
                let all = all.get(start..).unwrap_or(&[]);
                Page::concrete(&all[..all.len().min(PAGE)])
            }
        }
    }

    fn place(&mut self, at: u64) -> &mut Option<Rc<Page>> {
        let p = at as usize / PAGE;
        if self.groups.len() <= p / GROUP {
            self.groups.resize(p / GROUP + 1, None);
        }
        let group =
            self.groups[p / GROUP].get_or_insert_with(|| Rc::new(std::array::from_fn(|_| None)));
        &mut Rc::make_mut(group)[p % GROUP]
    }

    /// Makes the page of an offset, with its initial contents, if it is absent; reports whether it
    /// was.
    fn make_page(&mut self, at: u64) -> bool {
        let absent = self.page(at).is_none();
        if absent {
            let page = self.birth(at);
            self.made += 1;
            *self.place(at) = Some(Rc::new(page));
        }
        absent
    }

    /// Returns the page of an offset for writing, made if it is absent.
    #[inline(never)]
    pub fn page_mut(&mut self, counters: &Counters, at: u64) -> &mut Page {
        if self.make_page(at) {
            counters.page();
        }
        let place = self.place(at);
        counters.own(place.get_or_insert_with(|| Rc::new(Page::empty())))
    }

    /// Replaces the whole page of an offset by a shared one.
    pub fn set_page(&mut self, at: u64, page: Rc<Page>) {
        let place = self.place(at);
        if place.replace(page).is_none() {
            self.made += 1;
        }
    }

    /// Returns the page of an offset, if it was made.
    pub fn shared_page(&self, at: u64) -> Option<&Rc<Page>> {
        let p = at as usize / PAGE;
        self.groups.get(p / GROUP)?.as_ref()?[p % GROUP].as_ref()
    }

    pub fn piece(&self, at: u64, max: usize) -> ContentsPiece<'_> {
        let low = at as usize % PAGE;
        if let Some(page) = self.page(at) {
            return page.piece(low, max);
        }
        let max = max.min(PAGE - low);
        match &self.initial {
            Initial::Uninit => ContentsPiece::Empty(max),
            Initial::Zero => ContentsPiece::Bytes(&ZEROS[..max]),
            Initial::Bytes(all) => match all.get(at as usize..) {
                Some(rest) if !rest.is_empty() => {
                    ContentsPiece::Bytes(&rest[..max.min(rest.len())])
                }
                _ => ContentsPiece::Bytes(&ZEROS[..max]),
            },
        }
    }
}
