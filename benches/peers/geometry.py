#!/usr/bin/env python3
"""The geometry of `lacuna rips --geometry` in the programs and packages that are to open it: VTK, on which ParaView is built, MeshLab, meshio
and plyfile.

    python3 benches/peers/geometry.py [--lacuna BIN]

Each reader opens the cycles of data/ in the formats that it knows. Points, cells and data must be those of the JSON of the same run. Readers that are
not installed (`pip install vtk pymeshlab meshio plyfile`) are reported as skipped. Exits 1 when one differs.
"""

import argparse
import collections
import importlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from run import ROOT, built

INPUTS = [
    ("circle.pts", ["--min-persistence", "0.1"]),
    ("circle.pts", ["--threshold", "1", "--tighten"]),
    ("figure_eight.pts", ["--modulus", "3"]),
    ("torus.pts", ["--max-dim", "2", "--threshold", "1.8", "--longest", "5"]),
    ("torus.pts", ["--max-dim", "0"]),
]

# A cell: dimension and place of its bar, birth, death, its points by their numbers, coefficient.
Drawn = collections.namedtuple("Drawn", "points cells")


def expected(program, path, options):
    command = [program, "rips", "-q", "--output", "json", "--representatives", "cycles", *options, str(path)]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    coordinates = [tuple(map(float, line.split())) for line in path.read_text().splitlines()]
    cells, used = [], set()
    for found in answer["representatives"]:
        death = math.inf if found["death"] is None else found["death"]
        for *simplex, coefficient in found.get("cycle", []):
            cells.append((found["dim"], found["index"], found["birth"], death, tuple(simplex), coefficient))
            used.update(simplex)
    return Drawn({number: (*coordinates[number], 0.0)[:3] for number in used}, sorted(cells))


def of_arrays(coordinates, numbers, corners, data):
    """What a reader found: corners are places of points, data has an array for each name."""
    numbers = [int(number) for number in numbers]
    points = dict(zip(numbers, (tuple(map(float, at)) for at in coordinates)))
    names = ["dimension", "index", "birth", "death"]
    rows = zip(*(data.get(name, []) for name in names), corners, data.get("coefficient", []))
    cells = [
        (int(dim), int(index), float(birth), float(death), tuple(numbers[place] for place in places), int(coefficient))
        for dim, index, birth, death, places, coefficient in rows
    ]
    return Drawn(points, sorted(cells))


def corners_of(mesh):
    """The corners of the cells of VTK, which has one object for all cells."""
    cells = (mesh.GetCell(k).GetPointIds() for k in range(mesh.GetNumberOfCells()))
    return [[ids.GetId(k) for k in range(ids.GetNumberOfIds())] for ids in cells]


def by_vtk(vtk, path):
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    if reader.GetErrorCode():
        raise ValueError(f"error {reader.GetErrorCode()} of VTK")
    grid = reader.GetOutput()
    of_points, of_cells = grid.GetPointData(), grid.GetCellData()

    def array(data, name):
        values = data.GetArray(name)
        return [values.GetValue(k) for k in range(values.GetNumberOfTuples())] if values else []

    data = {of_cells.GetArrayName(k): array(of_cells, of_cells.GetArrayName(k)) for k in range(of_cells.GetNumberOfArrays())}
    coordinates = [grid.GetPoint(k) for k in range(grid.GetNumberOfPoints())]
    return of_arrays(coordinates, array(of_points, "point"), corners_of(grid), data)


def by_meshio(meshio, path):
    mesh = meshio.read(path)
    corners = [cell for block in mesh.cells for cell in block.data]
    data = {name: [x for block in blocks for x in block.ravel()] for name, blocks in mesh.cell_data.items()}
    return of_arrays(mesh.points, mesh.point_data["point"].ravel(), corners, data)


def by_plyfile(plyfile, path):
    elements = {element.name: element.data for element in plyfile.PlyData.read(path).elements}
    vertex = elements["vertex"]
    corners, data = [], collections.defaultdict(list)
    for name in {"edge", "face"} & set(elements):
        rows = elements[name]
        corners += list(zip(rows["vertex1"], rows["vertex2"])) if name == "edge" else list(rows["vertex_indices"])
        for column in ["dimension", "index", "birth", "death", "coefficient"]:
            data[column] += list(rows[column])
    return of_arrays(zip(vertex["x"], vertex["y"], vertex["z"]), vertex["point"], corners, data)


def by_meshlab(pymeshlab, path):
    """MeshLab keeps neither the data of edges nor, of formats without it, the numbers of points: cells are compared by coordinates."""
    meshes = pymeshlab.MeshSet()
    meshes.load_new_mesh(str(path))
    mesh = meshes.current_mesh()
    return mesh.vertex_matrix(), [*mesh.edge_matrix().tolist(), *mesh.face_matrix().tolist()]


def by_vtk_obj(vtk, path):
    reader = vtk.vtkOBJReader()
    reader.SetFileName(str(path))
    reader.Update()
    mesh = reader.GetOutput()
    return [mesh.GetPoint(k) for k in range(mesh.GetNumberOfPoints())], corners_of(mesh)


def near(a, b):
    """Whether coordinates are the same in single precision, which the program reads and MeshLab and VTK's reader of OBJ keep."""
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-6) for x, y in zip(a, b))


def difference(drawn, found):
    if isinstance(found, Drawn):
        if found.cells != drawn.cells:
            return f"{len(drawn.cells)} cells expected, found {len(found.cells)} or others"
        if found.points.keys() != drawn.points.keys():
            return "other points"
        return None if all(near(at, drawn.points[k]) for k, at in found.points.items()) else "other coordinates"
    points, corners = found
    # Points are in the order of their numbers.
    numbers = sorted(drawn.points)
    if len(points) != len(numbers) or not all(near(at, drawn.points[k]) for k, at in zip(numbers, points)):
        return f"{len(numbers)} points expected, found {len(points)} or others"
    cells = sorted(tuple(numbers[place] for place in places) for places in corners)
    wanted = sorted(cell[4] for cell in drawn.cells)
    return None if cells == wanted else f"{len(wanted)} cells expected, found {len(cells)} or others"


READERS = [
    ("vtk", "vtk", by_vtk),
    ("meshio", "vtk", by_meshio),
    ("plyfile", "ply", by_plyfile),
    ("pymeshlab", "ply", by_meshlab),
    ("pymeshlab", "obj", by_meshlab),
    ("vtk", "obj", by_vtk_obj),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lacuna", type=pathlib.Path, help="a binary that is already built")
    program = parser.parse_args().lacuna or built()
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        for package, extension, read in READERS:
            try:
                module = importlib.import_module(package)
            except ImportError:
                print(f"skipped: {package} is not installed")
                continue
            for number, (name, options) in enumerate(INPUTS):
                path = ROOT / "data" / name
                file = pathlib.Path(folder) / f"{number}.{extension}"
                command = [program, "rips", "-q", "--geometry", str(file), *options, str(path)]
                subprocess.run(command, capture_output=True, check=True)
                drawn = expected(program, path, options)
                if not drawn.cells and package == "pymeshlab":
                    # MeshLab refuses a mesh without points.
                    continue
                found = difference(drawn, read(module, file))
                differing += found is not None
                said = found or f"{len(drawn.points)} points, {len(drawn.cells)} cells"
                print(f"{package}, {extension}, {name} {' '.join(options)}: {said}")
    print(f"{differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
