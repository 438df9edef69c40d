//! Tests every format on images whose classes are evident.

use serde_json::{Value as Json, json};

use super::*;
use crate::cubical::{Construction, Image, Order, Shape, Voxel};

fn class(birth: usize, death: Option<usize>) -> Class {
    Class { birth, death }
}

/// A ring, and a component that joins it late.
struct Example {
    image: AnyImage,
    classes: Classes,
    request: PersistenceRequest,
    threshold: Option<Value>,
}

impl Example {
    fn new<T: Voxel>(voxels: [T; 6], superlevel: bool) -> Self {
        let image = Image::new(Shape::new(&[2, 3], Order::C).unwrap(), voxels.to_vec()).unwrap().into();
        let classes =
            Classes { dimensions: vec![vec![class(1, None), class(5, Some(2))], vec![class(3, Some(4))]] };
        let request =
            PersistenceRequest { construction: Construction::V, superlevel, ..PersistenceRequest::default() };
        Example { image, classes, request, threshold: None }
    }

    fn bytes(&self, format: ImageBarsFormat) -> Vec<u8> {
        let &Example { ref image, ref classes, ref request, threshold } = self;
        let mut bytes = Vec::new();
        let limits = Limits::up_to(threshold);
        let barcode = Barcode { image, classes, request, limits, representatives: None };
        format.write(&barcode, &mut bytes).unwrap();
        bytes
    }

    fn text(&self, format: ImageBarsFormat) -> String {
        String::from_utf8(self.bytes(format)).unwrap()
    }

    fn json(&self) -> Json {
        serde_json::from_slice(&self.bytes(ImageBarsFormat::Json)).unwrap()
    }

    /// (dim, birth, death, essential) of each point.
    fn points(&self) -> Vec<(u32, f64, f64, bool)> {
        let points = phat_formats::dipha::read_diagram(&self.bytes(ImageBarsFormat::Dipha)).unwrap();
        points.iter().map(|p| (p.dim, p.birth, p.death, p.essential)).collect()
    }
}

fn integers() -> Example {
    Example::new([0_i32, -2_000_000_001, 7, 1_234_567, 2_000_000_000, 3], false)
}

fn floats() -> Example {
    Example::new([9.0_f64, 1.0 / 3.0, 7.0, 1e-7, f64::INFINITY, -0.5], false)
}

fn descending() -> Example {
    Example::new([0.0_f32, 9.0, 0.1, 8.0, -1.0, 5.0], true)
}

#[test]
fn text_looks_like_ripsers() {
    let dims = ["persistence intervals in dim 0:\n", "persistence intervals in dim 1:\n"];
    let head = "2x3 image of i32, V-construction, sublevel sets\n";
    let expected = [head, dims[0], " [-2000000001, )\n [3,7)\n", dims[1], " [1234567,2000000000)\n"].concat();
    assert_eq!(integers().text(ImageBarsFormat::Text), expected);
    let head = "2x3 image of f64, V-construction, sublevel sets\n";
    let expected = [head, dims[0], " [0.333333, )\n [-0.5,7)\n", dims[1], " [1e-07,inf)\n"].concat();
    assert_eq!(floats().text(ImageBarsFormat::Text), expected);
    let head = "2x3 image of f32, V-construction, superlevel sets\n";
    let expected = [head, dims[0], " [9, )\n [5,0.1)\n", dims[1], " [8,-1)\n"].concat();
    assert_eq!(descending().text(ImageBarsFormat::Text), expected);
}

#[test]
fn csv_is_in_full() {
    let expected = "dim,birth,death\n0,-2000000001,inf\n0,3,7\n1,1234567,2000000000\n";
    assert_eq!(integers().text(ImageBarsFormat::Csv), expected);
    let expected = "dim,birth,death\n0,0.3333333333333333,inf\n0,-0.5,7.0\n1,1e-7,inf\n";
    assert_eq!(floats().text(ImageBarsFormat::Csv), expected);
    let expected = "dim,birth,death\n0,9.0,-inf\n0,5.0,0.10000000149011612\n1,8.0,-1.0\n";
    assert_eq!(descending().text(ImageBarsFormat::Csv), expected);
}

/// Numbers are written as for the bars of distances.
#[test]
fn doubles_are_written_as_elsewhere() {
    for x in [0.0, -0.0, 1.0, 1e15, 1e16, 1e17, 1.5e300, 1e-4, 1e-5, 1e-6, 1.25e-7, 123_456_789.125, 5e-324] {
        let mut ours = String::new();
        Value::Double(x).push(&mut ours);
        assert_eq!(serde_json::to_string(&x).unwrap(), ours);
    }
}

#[test]
fn json_says_what_the_bars_are_of() {
    let bar = |dim: u64, birth: Json, death: Json| json!({"dim": dim, "birth": birth, "death": death});
    let bars = [
        bar(0, json!(-2_000_000_001), Json::Null),
        bar(0, json!(3), json!(7)),
        bar(1, json!(1_234_567), json!(2_000_000_000)),
    ];
    let expected = json!({"shape": [2, 3], "voxels": "i32", "construction": "V", "superlevel": false,
        "threshold": null, "max_dim": 1, "bars": bars});
    assert_eq!(integers().json(), expected);
    assert_eq!(floats().json()["bars"][2], bar(1, json!(1e-7), json!("inf")));
    let cut = Example { threshold: Some(0.5.into()), ..descending() };
    assert_eq!((&cut.json()["threshold"], &cut.json()["superlevel"]), (&json!(0.5), &json!(true)));
    let none =
        Example { classes: Classes { dimensions: vec![vec![], vec![class(3, Some(4))]] }, ..integers() };
    assert_eq!(none.json()["bars"], json!([bar(1, json!(1_234_567), json!(2_000_000_000))]));
    let none = Example { classes: Classes { dimensions: vec![vec![]] }, ..integers() };
    assert_eq!((&none.json()["bars"], &none.json()["max_dim"]), (&json!([]), &json!(0)));
}

#[test]
fn npy_holds_doubles() {
    let read_back = |bytes: &[u8]| {
        let array = npyz::NpyFile::new(bytes).unwrap();
        (array.shape().to_vec(), array.into_vec::<f64>().unwrap())
    };
    let (shape, values) = read_back(&descending().bytes(ImageBarsFormat::Npy));
    assert_eq!(shape, [3, 3]);
    assert_eq!(values, [0.0, 9.0, f64::NEG_INFINITY, 0.0, 5.0, 0.1_f32.into(), 1.0, 8.0, -1.0]);
}

#[test]
fn diphas_essential_classes_die_at_the_last_value() {
    let greatest = 2e9;
    let expected =
        [(0, -2_000_000_001.0, greatest, true), (0, 3.0, 7.0, false), (1, 1_234_567.0, greatest, false)];
    assert_eq!(integers().points(), expected);
    assert_eq!(Example { threshold: Some(100.0.into()), ..integers() }.points()[0].2, 7.0);
    // The points are those of the negated image.
    let expected = [(0, -9.0, 1.0, true), (0, -5.0, -f64::from(0.1_f32), false), (1, -8.0, 1.0, false)];
    assert_eq!(descending().points(), expected);
    let none = Example { classes: Classes::default(), threshold: Some((-3e9).into()), ..integers() };
    assert_eq!(none.points(), []);
}

#[test]
fn cripsers_columns_hold_the_voxels() {
    let greatest = "1.7976931348623157e+308";
    let expected = format!(
        "0,-2000000001,{greatest},0,1,0,-1,-1,-1\n0,3,7,1,2,0,0,2,0\n1,1234567,2000000000,1,0,0,1,1,0\n"
    );
    assert_eq!(integers().text(ImageBarsFormat::Cripser), expected);
    let lines = descending().text(ImageBarsFormat::Cripser);
    assert_eq!(lines.lines().next(), Some(&*format!("0,9.0,-{greatest},0,1,0,-1,-1,-1")));
    // The user's axes are the reversed axes of memory.
    let shape = Shape::new(&[3, 2], Order::F).unwrap();
    let AnyImage::I32(image) = integers().image else { panic!("integers") };
    let turned = Example { image: Image::new(shape, image.into_voxels()).unwrap().into(), ..integers() };
    assert_eq!(turned.text(ImageBarsFormat::Cripser).lines().nth(1), Some("0,3,7,2,1,0,2,0,0"));
}

/// More classes than have lines in memory at the same time, on several threads.
#[test]
fn long_outputs_are_those_of_one_thread() {
    let shape = Shape::new(&[300, 1000], Order::C).unwrap();
    let image = Image::new(shape, (0..300_000_u32).map(|v| v.wrapping_mul(2_654_435_761)).collect()).unwrap();
    let image = image.into();
    let all = (0..300_000).map(|place| class(place, (place % 1000 > 0).then_some(299_999 - place))).collect();
    let classes = Classes { dimensions: vec![vec![], all] };
    let example = Example { image, classes, request: PersistenceRequest::default(), threshold: None };
    for format in ImageBarsFormat::ALL {
        let [one, three] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| example.bytes(format))
        });
        assert!(one == three, "{format}");
    }
    let csv = example.text(ImageBarsFormat::Csv);
    assert_eq!(csv.lines().count(), 300_001);
    assert_eq!(csv.lines().nth(2), Some("1,2654435761,4123011710"), "of the voxels 1 and 299 998");
    assert_eq!(example.json()["bars"].as_array().map(Vec::len), Some(300_000));
}
