"""Writes the tables of this folder as numpy, pandas and scipy write them, and `expected.tsv`: what each of them holds.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy pandas scipy && /tmp/venv/bin/python make.py

Every table holds the same five points of space, or their distances, so that all of them must give the same answer.
"""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

HERE = Path(__file__).parent
EXPECTED = []


def write(name, content, holds, *fragments):
    """A file and what it holds: `matrix`, `near` (up to rounding), `edges`, `points`, or `refuse` with words of the error."""
    path = HERE / name
    if callable(content):
        content(path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_bytes(content.encode())
    EXPECTED.append("\t".join([name, holds, *fragments]))


def savetxt(array, **options):
    return lambda path: np.savetxt(path, array, **{"fmt": "%.6f", **options})


def lines(array, number, separator=" "):
    return "\n".join(separator.join(number(x) for x in row) for row in array) + "\n"


def main():
    random = np.random.default_rng(1)
    points = random.normal(size=(5, 3)).round(4)
    condensed = pdist(points).round(6)
    matrix = squareform(condensed)
    n = len(points)
    names = ["Ulm", "Bonn", "São Paulo", "k_4", "P5"]
    plain, named = pd.DataFrame(matrix), pd.DataFrame(matrix, index=names, columns=names)
    cloud = pd.DataFrame(points, columns=list("xyz"))
    write("points.txt", savetxt(points, fmt="%.4f"), "points")
    write("distances.txt", savetxt(matrix), "matrix")

    # pandas
    write("pandas_plain.csv", plain.to_csv(index=False, header=False), "matrix")
    write("pandas_header.csv", plain.to_csv(index=False), "matrix")
    write("pandas_index.csv", plain.to_csv(header=False), "matrix")
    write("pandas_both.csv", plain.to_csv(), "matrix")
    write("pandas_names.csv", named.to_csv(), "matrix")
    write("pandas_names_header.csv", named.to_csv(index=False), "matrix")
    write("pandas_names_index.csv", named.to_csv(header=False), "matrix")
    write("pandas_index_called_id.csv", plain.to_csv(index_label="id"), "matrix")
    write("pandas_index_called_city.csv", plain.to_csv(index_label="city"), "matrix")
    write("pandas_tabs.tsv", named.to_csv(sep="\t"), "matrix")
    write("pandas_quoted.csv", named.to_csv(quoting=1), "matrix")
    write("pandas_latin1.csv", named.to_csv().encode("latin-1"), "matrix")
    write("pandas_packed.csv.gz", gzip.compress(named.to_csv().encode(), mtime=0), "matrix")
    write("points_plain.csv", cloud.to_csv(index=False, header=False), "points")
    write("points_header.csv", cloud.to_csv(index=False), "points")
    write("points_both.csv", cloud.to_csv(), "points")
    write("points_numbered_header.csv", pd.DataFrame(points).to_csv(index=False), "points")
    write("points_numbered_both.csv", pd.DataFrame(points).to_csv(), "points")
    dated = cloud.set_index(pd.date_range("2024-01-01", periods=n))
    write("points_dated.csv", dated.to_csv(), "points")
    write("points_header.pts", cloud.to_csv(index=False, sep=" "), "points")
    write("points_packed.pts.gz", gzip.compress(cloud.to_csv(index=False, header=False).encode(), mtime=0), "points")
    write("points_index.csv", cloud.to_csv(header=False), "refuse", "--columns 2-", "--columns 1-")
    write("points_time.csv", cloud.to_csv(index_label="t"), "refuse", "--columns 2-", "--columns 1-")
    plane = pd.DataFrame(points[:, :2])
    write("plane_numbered_header.csv", plane.to_csv(index=False), "refuse", "--skip-rows 1", "--skip-rows 0")
    write("points_species.csv", cloud.assign(species="setosa").to_csv(index=False), "refuse", "line 2", "setosa", "--columns")
    edges = [(i, j, matrix[i, j]) for i in range(n) for j in range(i)]
    write("edges.csv", pd.DataFrame(edges, columns=["source", "target", "weight"]).to_csv(index=False), "edges")
    unknown = pd.DataFrame(edges, columns=["foo", "bar", "baz"]).to_csv(index=False)
    write("edges_unknown.csv", unknown, "refuse", "--format sparse", "--format point-cloud")

    # Excel, with a German locale
    german = named.to_csv(sep=";", decimal=",")
    write("excel.csv", german, "matrix")
    write("excel_plain.csv", plain.to_csv(sep=";", decimal=",", index=False, header=False), "matrix")
    write("excel_numbered.csv", plain.to_csv(sep=";", decimal=","), "matrix")
    write("excel_bom_crlf.csv", b"\xef\xbb\xbf" + german.replace("\n", "\r\n").encode(), "matrix")
    write("excel_unicode.txt", b"\xff\xfe" + named.to_csv(sep="\t").replace("\n", "\r\n").encode("utf-16-le"), "matrix")
    write("excel_tabs.txt", cloud.to_csv(sep="\t", decimal=",", index=False, header=False), "points")
    quoted = lines(matrix, lambda x: '"' + repr(float(x)).replace(".", ",") + '"', ",")
    write("quoted_decimal_commas.csv", quoted, "matrix")
    blanks = cloud.to_csv(sep=" ", decimal=",", index=False, header=False)
    write("blanks_decimal_commas.txt", blanks, "refuse", "--decimal comma", "--decimal point")

    # R
    rows = [" ".join(repr(float(x)) for x in row) for row in matrix]
    header = " ".join(f'"{name}"' for name in names)
    write("r_write_table.txt", "\n".join([header] + [f'"{a}" {b}' for a, b in zip(names, rows)]) + "\n", "matrix")
    header = " ".join(f'"{k + 1}"' for k in range(n))
    numbered = "\n".join([header] + [f'"{k + 1}" {row}' for k, row in enumerate(rows)]) + "\n"
    write("r_write_table_numbers.txt", numbered, "matrix")
    write("r_write_table_unquoted.txt", numbered.replace('"', ""), "matrix")
    header = ",".join(f'"{name}"' for name in ["", *names])
    table = "\n".join([header] + [f'"{a}",' + b.replace(" ", ",") for a, b in zip(names, rows)])
    write("r_write_csv.csv", table + "\n", "matrix")

    # MATLAB
    shortest = lambda x: f"{x:.15g}"
    write("matlab_writematrix.csv", lines(matrix, shortest, ","), "matrix")
    write("matlab_writetable.csv", ",".join(f"Var{k + 1}" for k in range(n)) + "\n" + lines(matrix, shortest, ","), "matrix")
    write("matlab_comment.txt", "% distances\n" + lines(matrix, shortest), "matrix")

    # numpy
    write("savetxt_header.txt", savetxt(matrix, header="distances\nof points", footer="end"), "matrix")
    write("savetxt_long.txt", savetxt(matrix, fmt="%.18e"), "matrix")
    write("savetxt_trailing.csv", savetxt(matrix, delimiter=",", newline=",\n"), "matrix")
    write("comments_beside.txt", lines(matrix, shortest).replace("\n", " # a row\n"), "matrix")
    write("title.txt", "Distances of points\n" + lines(matrix, shortest), "refuse", "line 1", "--skip-rows")
    write("carriage_returns.csv", plain.to_csv(index=False, header=False).replace("\n", "\r"), "matrix")
    write("carriage_returns.pts", cloud.to_csv(index=False, header=False, sep=" ").replace("\n", "\r"), "points")
    write("crlf.csv", plain.to_csv(index=False).replace("\n", "\r\n"), "matrix")
    write("lower_names.txt", "".join(f"P{i} " + " ".join(f"{matrix[i, j]:.6f}" for j in range(i)) + "\n" for i in range(n)), "matrix")
    choices = ["--format condensed", "--format lower-distance"]
    write("pdist.txt", savetxt(condensed), "refuse", *choices, "--format point-cloud")
    write("pdist_row.csv", savetxt(condensed[None, :], delimiter=","), "refuse", *choices)
    wrapped = "".join(f"{d:.6f}" + ("\n" if k % 4 == 3 else " ") for k, d in enumerate(condensed))
    write("pdist_wrapped.txt", wrapped, "refuse", *choices)
    write("pdist.condensed", savetxt(condensed), "matrix")
    write("pdist.npy", lambda path: np.save(path, condensed), "refuse", "--format condensed", "--format point-cloud")
    noise = matrix + random.uniform(-1e-6, 1e-6, size=matrix.shape)
    np.fill_diagonal(noise, -1e-16)
    write("rounding.txt", savetxt(noise, fmt="%.18e"), "near", "on the diagonal, by up to 1e-16, 5 times")
    write("rounding.npy", lambda path: np.save(path, noise), "near", "10 pairs of points have two distances")
    asymmetric = matrix.copy()
    asymmetric[0, 1] = 9
    write("asymmetric.txt", savetxt(asymmetric), "refuse", "line 2, entry 1", "--symmetrize")
    write("correlations.txt", savetxt(np.corrcoef(random.normal(size=(6, 40)))), "refuse", "taken from 1")
    write("float16.npy", lambda path: np.save(path, points.astype("f2")), "near-points")

    # archives and Matrix Market
    write("one.npz", lambda path: np.savez(path, matrix), "matrix")
    write("one_packed.npz", lambda path: np.savez_compressed(path, X=points), "points")
    write("two.npz", lambda path: np.savez(path, D=matrix, X=points), "refuse", "D, X", "--key")
    sparse = sp.coo_matrix(matrix)
    for form in ["csr", "csc", "coo"]:
        write(f"sparse_{form}.npz", lambda path, f=form: sp.save_npz(path, sparse.asformat(f)), "edges")
        write(f"sparse_upper_{form}.npz", lambda path, f=form: sp.save_npz(path, sp.triu(sparse).asformat(f)), "edges")
    market = lambda array, **options: lambda path: scipy.io.mmwrite(path, array, precision=8, **options)
    write("dense.mtx", market(matrix), "matrix")
    write("dense_general.mtx", market(matrix, symmetry="general"), "matrix")
    write("coordinates.mtx", market(sparse), "edges")
    write("coordinates_general.mtx", market(sparse, symmetry="general"), "edges")
    write("points.mtx", market(points), "points")

    (HERE / "expected.tsv").write_text("\n".join(EXPECTED) + "\n")


main()
