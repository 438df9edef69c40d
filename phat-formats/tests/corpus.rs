//! Every committed fuzz input, without a fuzzer.

use std::path::Path;

#[path = "../../fuzz/fuzz_targets/check_formats.rs"]
mod check_formats;

#[test]
fn the_fuzz_corpus() {
    for (target, check) in [
        ("phat_matrix", check_formats::phat_matrix as fn(&[u8]) -> bool),
        ("phat_pairs", check_formats::phat_pairs),
        ("dipha_formats", check_formats::dipha_formats),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
        let files = std::fs::read_dir(&folder).expect("the corpus is committed");
        let inputs: Vec<_> = files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        let read = inputs.iter().filter(|input| check(input)).count();
        assert!(read >= 5, "{target}: only {read} of {} inputs could be read", inputs.len());
        assert!(inputs.len() - read >= 5, "{target}: only {read} of {} inputs are wrong", inputs.len());
    }
}
