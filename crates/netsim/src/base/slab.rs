//! An arena for values that wait for an event. The event carries their index.

#[derive(Debug)]
pub(crate) struct Slab<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Slab<T> {
    pub(crate) fn new() -> Self {
        Slab { values: Vec::new(), free: Vec::new() }
    }

    /// Returns the index that the next [`Slab::put`] will return.
    pub(crate) fn next_index(&self) -> u32 {
        self.free.last().copied().unwrap_or(self.values.len() as u32)
    }

    #[inline(always)] // otherwise the value is passed through memory
    pub(crate) fn put(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.values[index as usize] = value;
                index
            }
            None => {
                self.values.push(value);
                (self.values.len() - 1) as u32
            }
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, index: u32) -> T {
        self.free.push(index);
        self.values[index as usize]
    }

    /// Returns the number of stored values.
    pub(crate) fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }
}
