//! Several inputs of `lacuna rips`: their barcodes go into a directory, and an input that fails does not stop the
//! others.

use std::fs;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{SQUARE, SQUARE_TEXT, Scratch, doubles, lacuna, npy, read, rips, text_of};

#[test]
fn each_has_its_file_and_one_that_fails_does_not_stop_the_others() {
    let scratch = Scratch::new();
    let [a, b, c] = [("a.txt", SQUARE), ("b.txt", "0 1\nx 0\n"), ("c.txt", SQUARE)]
        .map(|(name, content)| scratch.file(name, content).to_str().unwrap().to_owned());
    let (bars, stats) = (scratch.name("bars"), scratch.name("stats.json"));
    let run = rips([&a, &b, &c, "-o", &bars, "--stats", &stats]).assert().code(2).stdout(is_empty());
    run.stderr(contains("b.txt: ").and(contains("error: 1 of 3 inputs have no result")));
    for name in ["a.txt.txt", "c.txt.txt"] {
        assert_eq!(read(&scratch.path("bars").join(name)), SQUARE_TEXT, "{name}");
    }
    assert_eq!(fs::read_dir(&bars).unwrap().count(), 2);
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["failed"], stats["inputs"].as_array().unwrap().len()), (&1.into(), 2));
    assert_eq!(stats["inputs"][1]["plan"]["points"], 4);
}

#[test]
fn the_files_of_a_directory() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("clouds")).unwrap();
    for name in ["clouds/a.txt", "clouds/b.txt", "clouds/.hidden"] {
        scratch.file(name, SQUARE);
    }
    let (clouds, bars) = (scratch.name("clouds"), scratch.name("bars"));
    rips([&clouds, "-o", &bars, "--output", "csv", "-q"]).assert().success().stderr(is_empty());
    let mut names: Vec<_> = fs::read_dir(&bars).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt.csv", "b.txt.csv"]);
    rips([&clouds]).assert().code(2).stderr(contains("expected a directory for the results"));
}

#[test]
fn an_answer_never_takes_the_place_of_another_input() {
    let scratch = Scratch::new();
    let [a, b] = ["a", "a.txt"].map(|name| scratch.file(name, SQUARE).to_str().unwrap().to_owned());
    let here = scratch.0.path().to_str().unwrap();
    rips([&a, &b, "-o", here]).assert().code(2).stderr(contains("expected an output that is not the input"));
    assert_eq!((read(a.as_ref()), read(b.as_ref())), (SQUARE.to_owned(), SQUARE.to_owned()));
    assert_eq!(scratch.names(), ["a", "a.txt", "a.txt.txt"]);
}

/// Makes a NumPy file of doubles with these extents.
fn array(shape: &str, numbers: &[f64]) -> Vec<u8> {
    npy("<f8", false, &format!("({shape})"), &doubles(numbers))
}

/// Coordinates of distinct clouds of `points` points in the plane.
fn clouds(count: usize, points: usize) -> Vec<Vec<f64>> {
    let coordinate = |k: usize| ((k * k * 31 + 17 * k) % 1009) as f64 / 64.0;
    let cloud = |number: usize| (0..2 * points).map(|k| coordinate(2 * points * number + k)).collect();
    (0..count).map(cloud).collect()
}

/// In parallel, one after another or in separate runs, inputs have the same answers to the byte, with the same
/// messages.
#[test]
fn many_small_inputs_are_done_side_by_side() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("clouds")).unwrap();
    for (number, cloud) in clouds(24, 20).iter().enumerate() {
        scratch.file(&format!("clouds/{number:02}.npy"), array("20, 2", cloud));
    }
    scratch.file("clouds/07.npy", array("20, 2", &[1.0]));
    let directory = scratch.name("clouds");
    let run = |into: &str, threads: &str| {
        let out = scratch.name(into);
        let arguments = ["--max-dim", "2", "--modulus", "3", "--threads", threads, "-o", &out];
        let run = rips([&directory]).args(arguments).assert().code(2).stdout(is_empty());
        let run = run.stderr(contains("07.npy: ").and(contains("error: 1 of 24 inputs have no result")));
        String::from_utf8(run.get_output().stderr.clone()).unwrap()
    };
    let said = ["1", "3", "24", "64"].map(|threads| run(threads, threads));
    assert!(said.iter().all(|other| *other == said[0]), "{said:#?}");
    for number in (0..24).filter(|&number| number != 7) {
        let input = scratch.path("clouds").join(format!("{number:02}.npy"));
        let alone = text_of(rips(["--max-dim", "2", "--modulus", "3", "-q"]).arg(input));
        for into in ["1", "3", "24", "64"] {
            let answer = read(&scratch.path(into).join(format!("{number:02}.npy.txt")));
            assert_eq!(answer, alone, "{number}, {into} threads");
        }
    }
}

#[test]
fn an_array_of_three_axes_is_several_inputs() {
    let scratch = Scratch::new();
    let clouds = clouds(12, 9);
    let (all, bars, stats) = (
        scratch.file("clouds.npy", array("12, 9, 2", &clouds.concat())),
        scratch.path("bars"),
        scratch.name("stats.json"),
    );
    let said = contains("clouds.npy[0]: npy (").and(contains("[1]").not());
    let arguments = ["--threads", "2", "--output", "csv", "--stats", &stats, "-o"];
    rips(arguments).arg(&bars).arg(&all).assert().success().stderr(said);
    for (number, cloud) in clouds.iter().enumerate() {
        let one = scratch.file("one.npy", array("9, 2", cloud));
        let alone = text_of(rips(["-q", "--output", "csv"]).arg(one));
        assert_eq!(read(&bars.join(format!("clouds.npy.{number:02}.csv"))), alone, "{number}");
    }
    assert_eq!(fs::read_dir(&bars).unwrap().count(), 12);
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert!(stats["inputs"][11]["file"].as_str().unwrap().ends_with("clouds.npy[11]"));

    rips([&all]).assert().code(2).stderr(contains("expected a directory for the results"));
    let mut broken = clouds.concat();
    broken[9 * 2 * 5 + 3] = f64::NAN;
    let broken = scratch.file("broken.npy", array("12, 9, 2", &broken));
    let run = rips(["--threads", "2", "-o"]).arg(scratch.path("others")).arg(&broken).assert().code(2);
    run.stderr(
        contains("broken.npy[5]: ").and(contains("a finite coordinate")).and(contains("1 of 12 inputs")),
    );
    assert_eq!(fs::read_dir(scratch.path("others")).unwrap().count(), 11);
    // Inputs from a pipe cannot be counted beforehand, so several are refused without a directory.
    let piped = fs::read(&all).unwrap();
    rips(["-"]).write_stdin(piped).assert().code(2).stderr(contains("whose bars go into -o DIR"));
}

/// A run that begins on one thread starts others when there is much to do; the answer is the same.
#[test]
fn light_and_heavy_inputs_without_a_number_of_threads() {
    let scratch = Scratch::new();
    for points in [5, 60] {
        let cloud = scratch.file("cloud.npy", array(&format!("{points}, 2"), &clouds(1, points)[0]));
        let run = |threads: &[&str]| {
            let stats = scratch.name("stats.json");
            let run = rips(["-q", "--max-dim", "3", "--stats", &stats])
                .args(threads)
                .arg(&cloud)
                .assert()
                .success();
            let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
            (String::from_utf8(run.get_output().stdout.clone()).unwrap(), stats["threads"].as_u64().unwrap())
        };
        let (told, threads) = run(&["--threads", "3"]);
        assert_eq!(threads, 3);
        let (found, threads) = run(&[]);
        assert_eq!(found, told);
        assert!(points > 5 || threads == 1, "{threads} threads");
    }
}

/// One picture and one page for each input, named after its answer, or one picture of all.
#[test]
fn pictures_of_each_input_and_of_all() {
    let scratch = Scratch::new();
    let [a, b] = ["a.txt", "b.txt"].map(|name| scratch.file(name, SQUARE).to_str().unwrap().to_owned());
    let [bars, pictures, pages] = ["bars", "pictures", "pages"].map(|name| scratch.name(name));
    // One after another, because of -v, and in parallel.
    for options in [&["-v", "--threads", "2"][..], &["-q", "--threads", "2"]] {
        let run = rips([&a, &b, "-o", &bars, "--plot", &pictures, "--report", &pages]).args(options).assert();
        run.success();
        for name in ["a.txt", "b.txt"] {
            assert!(read(&scratch.path("pictures").join(format!("{name}.svg"))).starts_with("<svg"));
            assert!(read(&scratch.path("pages").join(format!("{name}.html"))).contains(name));
        }
        let all = scratch.name("all.svg");
        rips([&a, &b, "-o", &bars, "--plot", &all]).args(options).assert().success();
        let marks = |file: &std::path::Path| read(file).matches("<use").count();
        assert!(marks(all.as_ref()) > marks(&scratch.path("pictures").join("a.txt.svg")));
        for folder in ["pictures", "pages"] {
            assert_eq!(fs::read_dir(scratch.path(folder)).unwrap().count(), 2);
            fs::remove_dir_all(scratch.path(folder)).unwrap();
        }
    }
    let page = scratch.name("page.html");
    let run = rips([&a, &b, "-o", &bars, "--report", &page]).assert();
    run.code(2).stderr(contains("expected a directory").and(contains("page.html")));
    rips([&a, &b, "-o", &bars, "--plot", "all.jpg"]).assert().code(2).stderr(contains("*.svg"));
}

#[test]
fn pictures_of_each_image_and_of_all() {
    let scratch = Scratch::new();
    let images = ["a.npy", "b.npy"].map(|name| scratch.name(name));
    for (seed, image) in images.iter().enumerate() {
        let seed = seed.to_string();
        lacuna("generate", ["noise", "--shape", "8,8", "--seed", &seed, "-q", "-o", image])
            .assert()
            .success();
    }
    let [curves, pictures, pages, all] =
        ["curves", "pictures", "pages", "all.svg"].map(|name| scratch.name(name));
    let ecc = |options: &[&str]| lacuna("ecc", ["-q", "-o", &curves]).args(options).args(&images).assert();
    ecc(&["--plot", &pictures, "--report", &pages]).success();
    for name in ["a.npy", "b.npy"] {
        assert!(read(&scratch.path("pictures").join(format!("{name}.svg"))).starts_with("<svg"));
        assert!(read(&scratch.path("pages").join(format!("{name}.html"))).contains(name));
    }
    ecc(&["--plot", &all]).success();
    let drawn = |file: &std::path::Path| read(file).matches("<path").count();
    assert!(drawn(all.as_ref()) > drawn(&scratch.path("pictures").join("a.npy.svg")));
}

#[test]
fn an_array_of_no_inputs_is_an_error_of_its_own() {
    let scratch = Scratch::new();
    let none = scratch.file("none.npy", array("0, 5, 2", &[]));
    let said = contains("expected at least one input").and(contains("-o DIR").not());
    rips([none.as_os_str(), "-o".as_ref(), scratch.path("d").as_os_str()]).assert().code(2).stderr(said);
    let empty = scratch.path("empty");
    fs::create_dir(&empty).unwrap();
    rips([&empty]).assert().code(2).stderr(contains("a directory with files to read"));
}
