"""The tables of benches/gpu.py."""

import statistics

MARKS = "<!-- gpu: begin -->", "<!-- gpu: end -->"

LACUNA = "auto", "cpu", "cuda"
"""Lacuna's backends, the columns of the first table."""


def tables(results, header):
    """`results`: a list of what `gpu.Bench.result` gives; `header`: a list of lines."""
    parts = [header, whole(results), stages(results), pair_store(results), notes(results)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def whole(results):
    """Whole processes."""
    titles = ["case", "bars", "Ripser++", *(f"`{backend}`" for backend in LACUNA), "`auto` / better of both"]
    titles += ["host memory, `auto`", "host memory, `cuda`", "device memory, `cuda`", "device memory, Ripser++"]
    return _table(titles, [_whole(result) for result in results])


def _whole(result):
    if result["void"]:
        return [result["case"], f"void: {result['void']}"] + ["–"] * 9
    times = {name: median(runs, "seconds") for name, runs in result["runs"].items()}
    theirs = times.get("Ripser++")
    cells = [result["case"], str(result["bars"]), "–" if theirs is None else seconds(theirs)]
    cells += [_lacuna(result, backend, times) for backend in LACUNA]
    both = [times[backend] for backend in ("cpu", "cuda") if backend in times]
    cells.append(f"{times['auto'] / min(both):.2f}" if len(both) == 2 and "auto" in times else "–")
    cells += [_host(result["runs"], backend) for backend in ("auto", "cuda")]
    return [*cells, _own_device(result), _bytes(result["device"].get("Ripser++"))]


def _lacuna(result, backend, times):
    if backend not in times:
        return "–"
    took = seconds(times[backend])
    if backend == "auto":
        took += f", {result['runs']['auto'][0]['stats']['backend']}"
    return f"**{times['Ripser++'] / times[backend]:.3g}×** ({took})" if "Ripser++" in times else took


def _host(runs, backend):
    if backend not in runs:
        return "–"
    ours = median(runs[backend], "peak")
    if "Ripser++" not in runs:
        return _bytes(ours)
    theirs = median(runs["Ripser++"], "peak")
    return f"{_bytes(ours)}, **1/{theirs / ours:.3g}** of {_bytes(theirs)}"


def _own_device(result):
    if "cuda" not in result["runs"]:
        return "–"
    own = max(run["stats"].get("device_memory", 0) for run in result["runs"]["cuda"])
    return f"{_bytes(result['device'].get('cuda'))}, own buffers {_bytes(own)}"


def stages(results):
    """Assembly with apparent-pair search, dimension by dimension, and reduction."""
    profiled = any(result["profile"] for result in results)
    titles = ["case", "d", "simplices", "devices sweep", "simplices/s", "assembly", "reduction"]
    if profiled:
        titles += ["Ripser++ assembly", "its search (kernel)", "its simplices/s", "both / ours", "its reduction"]
    rows = []
    for result in results:
        if result["void"] or "cuda" not in result["runs"]:
            continue
        for position in range(len(result["runs"]["cuda"][0]["stats"]["dimensions"])):
            rows.append(_dimension(result, position) + (_profiled(result, position) if profiled else []))
    return _table(titles, rows) if rows else []


def _medians(result, position):
    """The dimension's figures in the `cuda` runs: counts of the first, medians of the times."""
    every = [run["stats"]["dimensions"][position] for run in result["runs"]["cuda"]]
    times = {key for key in every[0] if key.endswith("_seconds")}
    return {**every[0], **{key: statistics.median(dimension[key] for dimension in every) for key in times}}


def _dimension(result, position):
    found = _medians(result, position)
    swept = found.get("device_seconds", 0.0)
    cells = [result["case"], str(found["dim"]), _count(found["simplices"])]
    cells += [seconds(swept), _rate(found["simplices"], swept)] if swept else ["–", "–"]
    return [*cells, seconds(found["assembly_seconds"]), seconds(found["reduction_seconds"])]


def _profiled(result, position):
    found = _medians(result, position)
    theirs = result["profile"].get(found["dim"], {})
    if "search" not in theirs:
        return ["–"] * 5
    assembly = theirs.get("assembly")
    both = theirs["search"] + (assembly or 0.0)
    # Devices may sweep before assembly waits for them: whichever of the two is longer.
    ours = max(found["assembly_seconds"], found.get("device_seconds", 0.0))
    kernel = f" ({seconds(theirs['kernel'])})" if "kernel" in theirs else ""
    cells = ["–" if assembly is None else seconds(assembly), seconds(theirs["search"]) + kernel]
    cells += [_rate(found["simplices"], both), f"**{both / ours:.3g}×**" if ours else "–"]
    return [*cells, seconds(theirs["reduction"]) if "reduction" in theirs else "–"]


def pair_store(results):
    """Accesses of the pair store, sums over the dimensions of a `cuda` run: a hash map holds what reduction pairs (layer 1),
    apparent pairs are looked up by recomputing them (layer 2)."""
    titles = ["case", "apparent", "residue", "hash map writes", "hash map reads", "apparent-pair look-ups", "additions"]
    rows = []
    for result in results:
        if result["void"] or "cuda" not in result["runs"]:
            continue
        dimensions = result["runs"]["cuda"][0]["stats"]["dimensions"]
        flat = [{**dimension, **dimension["pair_store"]} for dimension in dimensions]
        keys = "apparent", "residue", "layer1_writes", "layer1_reads", "layer2_reads", "additions"
        rows.append([result["case"], *(_count(sum(dimension[key] for dimension in flat)) for key in keys)])
    return _table(titles, rows) if rows else []


def notes(results):
    """What the tables do not say: programs that failed, counts."""
    lines = []
    for result in results:
        lines += [f"- {result['case']}: {name} failed: {why}." for name, why in result["failed"].items()]
        lines += [f"- {result['case']}: {note}." for note in result["notes"]]
    return lines


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def seconds(value):
    return f"{value:.3g} s" if value >= 0.1 else f"{value * 1e3:.3g} ms"


def _bytes(value):
    if value is None:
        return "–"
    return f"{value / 1e9:.3g} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def _count(number):
    return f"{number:,}".replace(",", " ")


def _rate(number, took):
    rate = number / took if took else 0.0
    return f"{rate / 1e9:.3g} G" if rate >= 1e9 else f"{rate / 1e6:.3g} M"


def _table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]
