//! Barcodes of distances and their representatives.

mod consistency;
mod exhaustive;
mod oracle;
mod representatives;
mod representatives_checked;
mod representatives_pictures;
mod tightened;
mod weighted;
