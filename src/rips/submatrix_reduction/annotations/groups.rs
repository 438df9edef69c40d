//! The annotations of edges, in groups of edges that have the same one.
//!
//! Filling a cycle maps each annotation linearly, so edges with the same annotation keep it in common, and a group that
//! is the sum of two others stays their sum. Most edges join the group of one of two older edges, without a list being
//! added up or stored.
//!
//! A class with many edges, as that of a long-lived bar becomes, is *heavy*: its cocycle is also kept as a table of
//! bits, a row for each point. With a table each, the boundaries of all triangles of an edge are computed 64 at a time.
//! Triangles with edges that have light classes are looked at one by one.

use hashbrown::HashMap;

use super::super::bits::Bits;
use super::super::cochain::all_if;
use super::super::rows::Rows;
use crate::memory::{self, Refused};
use crate::simd::{Kernel, Level, Simd};

/// Number of edges per point from which a class is heavy.
const HEAVY: usize = if cfg!(test) { 0 } else { 2 };
/// Maximum number of tables of classes: bits of [`Annotations::masks`].
pub(in super::super) const MOST_TABLES: usize = 16;

/// Edges with the same annotation.
#[derive(Default)]
struct Group {
    /// The annotation, by the numbers of classes. It is empty if the group stands for a sum that is.
    classes: Bits,
    edges: Vec<(u32, u32)>,
    /// Whether one of the classes has no table.
    is_light: bool,
}

/// A class and its cocycle.
#[derive(Default)]
struct Class {
    column: usize,
    /// The groups whose annotation contains the class.
    groups: Bits,
    /// An upper bound on the number of their edges.
    edges: usize,
    /// The number of its table of bits.
    table: Option<usize>,
}

/// The annotations of all edges.
pub(super) struct Annotations {
    /// The group of each edge that has an annotation.
    group_of: HashMap<(u32, u32), u32>,
    groups: Vec<Group>,
    /// The group that is the sum of two others.
    sums: HashMap<(u32, u32), u32>,
    /// The classes, and which of them are dead: their numbers are used again.
    classes: Vec<Class>,
    dead: Vec<u32>,
    /// The edges in light groups.
    light: Rows,
    /// Tables of classes, and which of them are in use.
    tables: Vec<Rows>,
    used: u16,
    most_tables: usize,
    /// For each point, the tables that may have a bit in its row.
    masks: Vec<u16>,
    /// For each point, the number of its edges in light groups.
    light_degrees: Vec<u32>,
    level: Level,
}

impl Annotations {
    /// No annotations, and at most this many tables.
    ///
    /// # Errors
    /// There is no memory for the rows.
    pub(super) fn new(points: usize, tables: usize, level: Level) -> Result<Self, Refused> {
        Ok(Annotations {
            group_of: HashMap::new(),
            groups: Vec::new(),
            sums: HashMap::new(),
            classes: Vec::new(),
            dead: Vec::new(),
            light: Rows::new(points)?,
            tables: Vec::new(),
            used: 0,
            most_tables: tables.min(MOST_TABLES),
            masks: memory::zeroed(points)?,
            light_degrees: memory::zeroed(points)?,
            level,
        })
    }

    /// Whether no edge has an annotation.
    pub(super) fn are_empty(&self) -> bool {
        self.group_of.is_empty()
    }

    /// Whether an edge with one of these ends may have an annotation.
    #[inline]
    pub(super) fn touch(&self, (u, v): (u32, u32)) -> bool {
        let is_marked = |u: u32| self.masks[u as usize] != 0 || self.light_degrees[u as usize] != 0;
        is_marked(u) || is_marked(v)
    }

    /// Begins the class of a column with an edge.
    ///
    /// # Errors
    /// There is no memory for its annotation.
    pub(super) fn bear(&mut self, edge: (u32, u32), column: usize) -> Result<(), Refused> {
        let number = match self.dead.pop() {
            Some(number) => number,
            None => {
                memory::push(&mut self.classes, Class::default())?;
                // Edges of at most 2^16 points have numbers of 32 bits.
                self.classes.len() as u32 - 1
            }
        };
        self.classes[number as usize].column = column;
        let mut classes = Bits::default();
        classes.insert(number)?;
        let group = self.new_group(classes)?;
        self.join(edge, group)
    }

    /// Makes the annotation of the edge {u, v}, which has none, the sum of those of {u, w} and {v, w}.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn add_sum(&mut self, edge: (u32, u32), w: u32) -> Result<(), Refused> {
        let group = match (self.group(edge.0, w), self.group(edge.1, w)) {
            (None, None) => return Ok(()),
            (Some(a), Some(b)) if a == b => return Ok(()),
            (Some(a), None) | (None, Some(a)) => a,
            (Some(a), Some(b)) => {
                let pair = (a.min(b), a.max(b));
                match self.sums.get(&pair) {
                    Some(&sum) => sum,
                    None => {
                        let mut sum = Bits::default();
                        sum.add(&self.groups[a as usize].classes)?;
                        sum.add(&self.groups[b as usize].classes)?;
                        let group = self.new_group(sum)?;
                        self.sums.insert(pair, group);
                        group
                    }
                }
            }
        };
        if self.groups[group as usize].classes.is_empty() { Ok(()) } else { self.join(edge, group) }
    }

    /// Marks the points of `common`, the points joined to both ends of an edge, that form a triangle with the edge
    /// whose boundary may be a sum of classes that is not empty. Returns whether there are any.
    #[inline]
    pub(super) fn candidates(&self, edge: (u32, u32), common: &[u64], candidates: &mut [u64]) -> bool {
        let masks = self.masks[edge.0 as usize] | self.masks[edge.1 as usize];
        let group = self.group(edge.0, edge.1).map(|group| &self.groups[group as usize]);
        let own = group.filter(|_| masks != 0).map_or(0, |group| {
            let tables = group.classes.iter().filter_map(|class| self.classes[class as usize].table);
            tables.fold(0, |tables, table| tables | 1 << table)
        });
        let is_light = group.is_some_and(|group| group.is_light);
        self.level.run(Candidates { annotations: self, edge, masks, own, is_light, common, candidates })
    }

    /// Makes `cycle` the sum of the annotations of the triangle of an edge and a point. Returns the youngest of its
    /// classes and the column of that class, if it is not empty.
    ///
    /// # Errors
    /// There is no memory for the sum.
    pub(super) fn boundary(
        &self,
        (u, v): (u32, u32),
        w: u32,
        cycle: &mut Bits,
    ) -> Result<Option<(u32, usize)>, Refused> {
        cycle.clear();
        let sides = [self.group(u, v), self.group(u, w), self.group(v, w)];
        if let [None, Some(a), Some(b)] | [Some(a), None, Some(b)] | [Some(a), Some(b), None] = sides
            && a == b
        {
            return Ok(None);
        }
        for group in sides.into_iter().flatten() {
            cycle.add(&self.groups[group as usize].classes)?;
        }
        // Columns are in reverse filtration order.
        let column = |&class: &u32| self.classes[class as usize].column;
        Ok(cycle.iter().min_by_key(column).map(|class| (class, column(&class))))
    }

    /// The edges whose annotation contains a class.
    pub(super) fn cocycle(&self, class: u32) -> impl Iterator<Item = (u32, u32)> {
        let groups = self.classes[class as usize].groups.iter();
        groups.flat_map(|group| &self.groups[group as usize].edges).copied()
    }

    /// The classes that are alive, each with its column.
    pub(super) fn alive(&self) -> impl Iterator<Item = (u32, usize)> {
        let classes = (0..).zip(&self.classes).filter(|(_, class)| !class.groups.is_empty());
        classes.map(|(number, class)| (number, class.column))
    }

    /// Fills a cycle, the sum of some classes: one of them, the youngest, becomes the sum of the others.
    ///
    /// # Errors
    /// There is no memory for the annotations.
    pub(super) fn kill(&mut self, youngest: u32, cycle: &Bits) -> Result<(), Refused> {
        let Class { groups: changed, table: freed, .. } =
            std::mem::take(&mut self.classes[youngest as usize]);
        let mut edges = 0;
        for number in changed.iter() {
            let group = &mut self.groups[number as usize];
            group.classes.add(cycle)?;
            edges += group.edges.len();
        }
        let others = || cycle.iter().filter(|&class| class != youngest);
        for class in others() {
            let class = &mut self.classes[class as usize];
            class.groups.add(&changed)?;
            class.edges += edges;
        }
        for table in others().filter_map(|class| self.classes[class as usize].table).chain(freed) {
            for number in changed.iter() {
                toggle(&mut self.tables[table], &mut self.masks, table, &self.groups[number as usize].edges);
            }
        }
        if let Some(table) = freed {
            self.used &= !(1 << table);
            self.masks.iter_mut().for_each(|mask| *mask &= !(1 << table));
        }
        for number in changed.iter() {
            self.set_weight(number);
            let group = &mut self.groups[number as usize];
            if group.classes.is_empty() {
                for edge in std::mem::take(&mut group.edges) {
                    self.group_of.remove(&ordered(edge));
                }
            }
        }
        memory::push(&mut self.dead, youngest)?;
        others().for_each(|class| self.give_table(class));
        Ok(())
    }

    /// The group of an edge. Nearly all that have none are found without looking for it.
    #[inline]
    fn group(&self, u: u32, v: u32) -> Option<u32> {
        let (mut masks, mut word) = (self.masks[u as usize] & self.masks[v as usize], 0);
        if self.light_degrees[u as usize] != 0 {
            word = self.light.row(u)[v as usize / 64];
        }
        while masks != 0 {
            word |= self.tables[masks.trailing_zeros() as usize].row(u)[v as usize / 64];
            masks &= masks - 1;
        }
        if word >> (v % 64) & 1 == 0 { None } else { self.group_of.get(&ordered((u, v))).copied() }
    }

    /// A group without edges for an annotation.
    fn new_group(&mut self, classes: Bits) -> Result<u32, Refused> {
        // There are no more groups than edges.
        let number = self.groups.len() as u32;
        let mut is_light = false;
        for class in classes.iter() {
            let class = &mut self.classes[class as usize];
            class.groups.insert(number)?;
            is_light |= class.table.is_none();
        }
        memory::push(&mut self.groups, Group { classes, edges: Vec::new(), is_light })?;
        Ok(number)
    }

    /// Gives an edge the annotation of a group, which is not empty.
    fn join(&mut self, edge: (u32, u32), number: u32) -> Result<(), Refused> {
        let group = &mut self.groups[number as usize];
        self.group_of.insert(ordered(edge), number);
        memory::push(&mut group.edges, edge)?;
        let mut without_table = None;
        for number in group.classes.iter() {
            let class = &mut self.classes[number as usize];
            class.edges += 1;
            match class.table {
                Some(table) => toggle(&mut self.tables[table], &mut self.masks, table, &[edge]),
                None => without_table = Some(number),
            }
        }
        if group.is_light {
            set_light(&mut self.light, &mut self.light_degrees, edge, true);
        }
        without_table.into_iter().for_each(|class| self.give_table(class));
        Ok(())
    }

    /// Gives a class a table if it is heavy and one is left.
    #[inline]
    fn give_table(&mut self, number: u32) {
        let (points, free) = (self.masks.len(), self.used.trailing_ones() as usize);
        let class = &mut self.classes[number as usize];
        if class.table.is_some() || class.edges < HEAVY * points || free >= self.most_tables {
            return;
        }
        class.edges = class.groups.iter().map(|group| self.groups[group as usize].edges.len()).sum();
        if class.edges < HEAVY * points {
            return;
        }
        if free == self.tables.len() {
            // Without memory for another table, classes have to do without.
            let Ok(table) = Rows::new(points) else {
                self.most_tables = free;
                return;
            };
            self.tables.push(table);
        }
        self.used |= 1 << free;
        class.table = Some(free);
        for group in self.classes[number as usize].groups.iter() {
            toggle(&mut self.tables[free], &mut self.masks, free, &self.groups[group as usize].edges);
        }
        let groups: Vec<u32> = self.classes[number as usize].groups.iter().collect();
        groups.into_iter().for_each(|group| self.set_weight(group));
    }

    /// Makes a group light or heavy, after its classes have changed or one of them has got a table.
    fn set_weight(&mut self, number: u32) {
        let Annotations { groups, classes, light, light_degrees, .. } = self;
        let group = &mut groups[number as usize];
        let is_light = group.classes.iter().any(|class| classes[class as usize].table.is_none());
        if is_light != std::mem::replace(&mut group.is_light, is_light) {
            group.edges.iter().for_each(|&edge| set_light(light, light_degrees, edge, is_light));
        }
    }
}

/// Inserts an edge in the graph of light edges, or removes it.
fn set_light(light: &mut Rows, degrees: &mut [u32], edge: (u32, u32), is_light: bool) {
    light.flip(edge);
    for end in [edge.0, edge.1] {
        let degree = &mut degrees[end as usize];
        *degree = if is_light { *degree + 1 } else { *degree - 1 };
    }
}

/// Inserts or removes edges in the table with a number, and marks that the rows of their ends may have bits in it.
fn toggle(table: &mut Rows, masks: &mut [u16], number: usize, edges: &[(u32, u32)]) {
    for &(u, v) in edges {
        table.flip((u, v));
        masks[u as usize] |= 1 << number;
        masks[v as usize] |= 1 << number;
    }
}

/// Kernel of [`Annotations::candidates`].
struct Candidates<'a> {
    annotations: &'a Annotations,
    edge: (u32, u32),
    /// The tables that may have a bit in a row of an end, and those with the edge's own classes.
    masks: u16,
    own: u16,
    /// Whether the edge itself has a light class.
    is_light: bool,
    common: &'a [u64],
    candidates: &'a mut [u64],
}

impl Kernel<u32> for Candidates<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> bool {
        let Candidates { annotations, edge: (u, v), mut masks, own, is_light, common, candidates } = self;
        candidates.fill(all_if(is_light));
        for end in [u, v] {
            if annotations.light_degrees[end as usize] != 0 {
                let light = annotations.light.row(end);
                candidates.iter_mut().zip(light).for_each(|(candidate, light)| *candidate |= light);
            }
        }
        while masks != 0 {
            let table = masks.trailing_zeros() as usize;
            masks &= masks - 1;
            let (rows, own) = (&annotations.tables[table], all_if(own >> table & 1 == 1));
            let rows = rows.row(u).iter().zip(rows.row(v));
            for (candidate, (a, b)) in candidates.iter_mut().zip(rows) {
                *candidate |= a ^ b ^ own;
            }
        }
        let mut any = 0;
        for (candidate, common) in candidates.iter_mut().zip(common) {
            *candidate &= common;
            any |= *candidate;
        }
        any != 0
    }
}

/// An edge with its lesser end first.
pub(super) fn ordered((u, v): (u32, u32)) -> (u32, u32) {
    (u.min(v), u.max(v))
}
