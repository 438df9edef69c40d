"use strict";
// Draws what the element #data holds: bars in two pictures that are linked, curves, cycles, and a table. No library, no network.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const add = (parent, kind, text = "") => { const child = document.createElement(kind); child.textContent = text; parent.append(child); return child; };
  const doubles = (text) => {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
    return new Float64Array(bytes.buffer);
  };
  const births = doubles(data.births), deaths = doubles(data.deaths);
  const count = births.length;
  const dimOf = new Uint32Array(count);
  /** The first bar of each dimension and the one after the last. */
  const ranges = [];
  data.dims.reduce((from, dim, d) => {
    ranges.push([from, from + dim.count]);
    dimOf.fill(d, from, from + dim.count);
    return from + dim.count;
  }, 0);
  const placeOf = (bar) => bar - ranges[dimOf[bar]][0];
  const simplices = new Map(data.simplices.map(([bar, birth, death]) => [bar, [birth, death]]));
  const cyclesOf = new Map(data.cycles.map((cycle) => [cycle[0], cycle]));
  const isVisible = data.dims.map(() => true);
  const selected = new Uint8Array(count);
  let selectedCount = 0, hovered = -1;

  // ---- Words and colours

  const number = (x) => {
    if (x === Infinity) return "∞";
    if (x === -Infinity) return "−∞";
    const size = Math.abs(x);
    const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? x.toExponential(5) : String(Number(x.toPrecision(7)));
    return text.replace("-", "−");
  };
  const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const compare = (x, y) => x === y ? 0 : x < y ? -1 : 1;
  const persistence = (bar) => births[bar] === deaths[bar] ? 0 : Math.abs(deaths[bar] - births[bar]);
  let colours = {};
  // The colours of single loops: all but that of shells.
  const LOOPS = [1, 0, 6, 3, 4, 5];
  const THEMES = ["auto", "dark", "light"];
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  let theme = 0;
  /** Reads the colours of the theme. Paper is white. */
  const readColours = () => {
    root.dataset.theme = "print" in root.dataset ? "light" : theme ? THEMES[theme] : systemIsDark.matches ? "dark" : "light";
    const style = getComputedStyle(root);
    const value = (name) => style.getPropertyValue(name).trim();
    colours = { paper: value("--paper"), ink: value("--ink"), soft: value("--soft"), line: value("--line"), accent: value("--accent"), veil: value("--veil"),
      dims: data.dims.map((dim) => value(`--h${dim.dim % 7}`)), loops: LOOPS.map((k) => value(`--h${k}`)) };
    colours.edges = colours.dims.map((colour) => `color-mix(in srgb, ${colour} 55%, ${colours.paper})`);
  };

  // ---- Axes

  const extent = (arrays) => {
    let low = Infinity, high = -Infinity, below = false, above = false;
    for (const values of arrays) for (const x of values) {
      if (x === Infinity) above = true;
      else if (x === -Infinity) below = true;
      else { if (x < low) low = x; if (x > high) high = x; }
    }
    if (low > high) { low = 0; high = 1; }
    const size = Math.max(Math.abs(low), Math.abs(high));
    const room = high - low <= 1e-12 * size || size === 0 ? (size === 0 ? 0.5 : size * 0.1) : 0.04 * (high - low);
    return { low: low - room, high: high + room, below, above };
  };
  const GUTTER = 22;
  const axis = ({ low, high, below, above }, start, end, spacing = 62) => {
    const toward = Math.sign(end - start);
    const from = below ? start + toward * GUTTER : start, to = above ? end - toward * GUTTER : end;
    const at = (x) => x === Infinity ? to + toward * GUTTER * 0.6 : x === -Infinity ? from - toward * GUTTER * 0.6
      : from + (x - low) / (high - low) * (to - from);
    const wanted = Math.max(1, Math.floor(Math.abs(to - from) / spacing));
    const raw = (high - low) / wanted;
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = unit * ([1, 2, 5, 10].find((k) => k * unit >= raw * (1 - 1e-9)) || 10);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 50; k++) ticks.push([at(k * step), number(Number((k * step).toPrecision(12)))]);
    if (below) ticks.push([at(-Infinity), "−∞"]);
    if (above) ticks.push([at(Infinity), "∞"]);
    return { at, ticks, infinities: [[below, -Infinity], [above, Infinity]].filter((i) => i[0]).map((i) => at(i[1])), finite: [from, to] };
  };

  // ---- Canvases: one for what stays, one above it for what is pointed at

  class Chart {
    constructor(host, label) {
      this.host = byId(host);
      this.base = add(this.host, "canvas");
      this.over = add(this.host, "canvas");
      this.over.tabIndex = 0;
      this.over.setAttribute("role", "img");
      this.over.setAttribute("aria-label", label);
      this.base.setAttribute("aria-hidden", "true");
      /** Where the pointer was pressed. */
      this.from = null;
      this.over.addEventListener("pointerdown", (event) => { this.from = this.at(event); this.over.setPointerCapture(event.pointerId); });
      new ResizeObserver(() => this.resize()).observe(this.host);
    }
    resize(isForced) {
      const { clientWidth: width, clientHeight: height } = this.host;
      if (!width || !height) return;
      const already = [width, height, window.devicePixelRatio].join();
      if (!isForced && this.already === already) return;
      this.already = already;
      // Paper has more dots than a screen.
      this.ratio = (window.devicePixelRatio || 1) * ("print" in root.dataset ? 2 : 1);
      for (const canvas of [this.base, this.over]) {
        canvas.width = Math.round(width * this.ratio);
        canvas.height = Math.round(height * this.ratio);
      }
      [this.width, this.height] = [width, height];
      this.drawAll();
    }
    drawAll() { this.layout(); this.draw(); this.drawOver(); }
    context(canvas) {
      const context = canvas.getContext("2d");
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      context.font = "12px system-ui, sans-serif";
      return context;
    }
    layout() {}
    drawOver() {}
    at(event) { const box = this.over.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; }
  }

  const rect = ([left, top, right, bottom]) => [left, top, right - left, bottom - top];
  const line = (context, x0, y0, x1, y1) => { context.beginPath(); context.moveTo(x0, y0); context.lineTo(x1, y1); context.stroke(); };
  const frame = (context, box, x, y, titles) => {
    const [left, top, right, bottom] = box;
    context.lineWidth = 1;
    context.strokeStyle = colours.line;
    context.fillStyle = colours.soft;
    context.textBaseline = "middle";
    if (x) for (const [at, label] of x.ticks) {
      line(context, at, top, at, bottom + 4);
      context.textAlign = "center"; context.fillText(label, at, bottom + 14);
    }
    if (y) for (const [at, label] of y.ticks) {
      line(context, left - 4, at, right, at);
      context.textAlign = "right"; context.fillText(label, left - 7, at);
    }
    context.strokeStyle = colours.soft;
    context.setLineDash([2, 3]);
    if (x) for (const at of x.infinities) line(context, at, top, at, bottom);
    if (y) for (const at of y.infinities) line(context, left, at, right, at);
    context.setLineDash([]);
    context.strokeRect(...rect(box));
    context.fillStyle = colours.ink;
    context.textAlign = "center";
    if (titles[0]) context.fillText(titles[0], (left + right) / 2, bottom + 31);
    if (titles[1]) { context.save(); context.translate(12, (top + bottom) / 2); context.rotate(-Math.PI / 2); context.fillText(titles[1], 0, 0); context.restore(); }
  };

  /** The corners of marks of radius 1. */
  const SYMBOLS = [
    Array.from({ length: 24 }, (_, k) => [Math.cos(k * Math.PI / 12), Math.sin(k * Math.PI / 12)]),
    [[0, -1.35], [1.17, 0.7], [-1.17, 0.7]],
    [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  ];
  const cornersOf = (d) => SYMBOLS[data.dims[d].dim % SYMBOLS.length];
  const mark = (context, d, x, y, r) => {
    context.beginPath();
    for (const [right, down] of cornersOf(d)) context.lineTo(x + r * right, y + r * down);
    context.closePath();
    context.fill();
    context.stroke();
  };

  /** What both pictures of bars share: pointing, selecting by a rectangle, the keyboard. */
  class BarChart extends Chart {
    constructor(host, label) {
      super(host, label);
      this.brush = null;
      this.over.addEventListener("pointermove", (event) => {
        const [x, y] = this.at(event), { from } = this;
        if (from && Math.hypot(x - from[0], y - from[1]) > 4) {
          this.brush = [Math.min(x, from[0]), Math.min(y, from[1]), Math.max(x, from[0]), Math.max(y, from[1])];
          select((bar) => this.isWithin(bar, this.brush));
        } else if (!from) {
          hover(this.pick(x, y), event);
        }
      });
      this.over.addEventListener("pointerup", (event) => {
        if (this.from && !this.brush) {
          const bar = this.pick(...this.at(event));
          if (bar < 0) clear(); else toggle(bar);
        }
        this.from = this.brush = null;
        drawOvers();
      });
      this.over.addEventListener("pointercancel", () => { this.from = this.brush = null; drawOvers(); });
      this.over.addEventListener("pointerleave", () => { if (!this.from) hover(-1); });
      this.over.addEventListener("keydown", (event) => walk(event, this));
      this.over.addEventListener("blur", () => hover(-1));
    }
    /** The bar nearest to a point, of those in reach. */
    pick(x, y) {
      let best = -1, nearest = Infinity;
      for (let bar = 0; bar < count; bar++) {
        const distance = isVisible[dimOf[bar]] ? this.distance(bar, x, y) : Infinity;
        if (distance < nearest) { nearest = distance; best = bar; }
      }
      return best;
    }
    drawOver() {
      const context = this.context(this.over);
      if (selectedCount) {
        context.fillStyle = colours.veil;
        context.fillRect(...rect(this.box));
        this.paint(context, (bar) => selected[bar] && isVisible[dimOf[bar]]);
      }
      if (hovered >= 0 && isVisible[dimOf[hovered]]) this.emphasize(context, hovered);
      if (this.brush) {
        context.strokeStyle = colours.accent;
        context.setLineDash([4, 3]);
        context.strokeRect(...rect(this.brush));
        context.setLineDash([]);
      }
    }
  }

  const MANY = 4000;

  class Diagram extends BarChart {
    layout() {
      const both = extent([births, deaths]), x = extent([births]), y = extent([deaths]);
      const gutters = (e) => (e.below + e.above) * GUTTER;
      const [left, top] = [52, 8];
      const side = Math.min(this.width - left - 10 - gutters(x), this.height - top - 42 - gutters(y));
      this.box = [left, top, left + side + gutters(x), top + side + gutters(y)];
      this.x = axis({ ...both, below: x.below, above: x.above }, this.box[0], this.box[2]);
      this.y = axis({ ...both, below: y.below, above: y.above }, this.box[3], this.box[1]);
      this.xs = new Float32Array(count);
      this.ys = new Float32Array(count);
      for (let bar = 0; bar < count; bar++) { this.xs[bar] = this.x.at(births[bar]); this.ys[bar] = this.y.at(deaths[bar]); }
    }
    distance(bar, x, y) {
      const squared = (this.xs[bar] - x) ** 2 + (this.ys[bar] - y) ** 2;
      return squared < 81 ? squared : Infinity;
    }
    isWithin(bar, [left, top, right, bottom]) {
      const x = this.xs[bar], y = this.ys[bar];
      return x >= left && x <= right && y >= top && y <= bottom;
    }
    paint(context, isWanted) {
      const few = count <= MANY;
      for (let d = 0; d < data.dims.length; d++) {
        if (!isVisible[d]) continue;
        context.fillStyle = colours.dims[d];
        context.strokeStyle = colours.edges[d];
        context.lineWidth = 0.7;
        const [from, to] = ranges[d];
        for (let bar = from; bar < to; bar++) {
          if (!isWanted(bar)) continue;
          if (!few) { context.fillRect(this.xs[bar] - 1.2, this.ys[bar] - 1.2, 2.4, 2.4); continue; }
          // Each mark covers the lines of those below it, so that a crowd keeps its colour.
          mark(context, d, this.xs[bar], this.ys[bar], 3.4);
        }
      }
    }
    draw() {
      const context = this.context(this.base);
      frame(context, this.box, this.x, this.y, ["birth", "death"]);
      context.strokeStyle = colours.soft;
      context.setLineDash([5, 4]);
      line(context, this.x.finite[0], this.y.finite[0], this.x.finite[1], this.y.finite[1]);
      context.setLineDash([]);
      this.paint(context, () => true);
    }
    emphasize(context, bar) {
      context.fillStyle = colours.dims[dimOf[bar]];
      context.lineWidth = 2;
      context.strokeStyle = colours.accent;
      mark(context, dimOf[bar], this.xs[bar], this.ys[bar], 5.5);
    }
    place(bar) { return [this.xs[bar], this.ys[bar]]; }
  }

  class Barcode extends BarChart {
    layout() {
      this.box = [34, 8, this.width - 10, this.height - 42];
      const all = extent([births, deaths]);
      this.x = axis(all, this.box[0], this.box[2]);
      this.order = order.filter((bar) => isVisible[dimOf[bar]]);
      this.rows = new Int32Array(count).fill(-1);
      this.order.forEach((bar, row) => { this.rows[bar] = row; });
      this.pitch = Math.min(10, (this.box[3] - this.box[1] - 8) / Math.max(1, this.order.length));
    }
    y(bar) { return this.box[1] + 4 + (this.rows[bar] + 0.5) * this.pitch; }
    ends(bar) {
      const a = this.x.at(births[bar]), b = this.x.at(deaths[bar]);
      return a <= b ? [a, b] : [b, a];
    }
    distance(bar, x, y) {
      const away = Math.abs(this.y(bar) - y);
      if (away > Math.max(this.pitch / 2, 4)) return Infinity;
      const [left, right] = this.ends(bar), aside = Math.max(left - x, x - right, 0);
      return aside <= 6 ? aside * 4 + away : Infinity;
    }
    isWithin(bar, [left, top, right, bottom]) {
      if (this.rows[bar] < 0) return false;
      const y = this.y(bar), [from, to] = this.ends(bar);
      return y >= top && y <= bottom && from <= right && to >= left;
    }
    paint(context, isWanted) {
      const height = Math.max(Math.min(this.pitch * 0.75, 6), 0.6);
      for (const bar of this.order) {
        if (!isWanted(bar)) continue;
        const [left, right] = this.ends(bar);
        context.fillStyle = colours.dims[dimOf[bar]];
        context.fillRect(left, this.y(bar) - height / 2, Math.max(right - left, 0.8), height);
      }
    }
    draw() {
      const context = this.context(this.base);
      frame(context, this.box, this.x, null, ["filtration value"]);
      this.paint(context, () => true);
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillStyle = colours.ink;
      let row = 0;
      data.dims.filter((_, d) => isVisible[d]).forEach(({ name, count }) => {
        if (count) context.fillText(name, this.box[0] - 8, this.box[1] + 4 + (row + count / 2) * this.pitch);
        row += count;
      });
    }
    emphasize(context, bar) {
      const [left, right] = this.ends(bar), height = Math.max(this.pitch * 0.75, 4), y = this.y(bar);
      context.fillStyle = colours.dims[dimOf[bar]];
      context.fillRect(left, y - height / 2, Math.max(right - left, 1), height);
      context.lineWidth = 2;
      context.strokeStyle = colours.accent;
      context.strokeRect(left - 1, y - height / 2 - 1, Math.max(right - left, 1) + 2, height + 2);
    }
    place(bar) { return [this.ends(bar)[1], this.y(bar)]; }
  }

  /** Corners [values, levels] of the step function that goes up by 1 at each number of one array, and down at each of another. */
  const steps = (ups, downs) => {
    ups = Float64Array.from(ups).sort();
    downs = Float64Array.from(downs).sort();
    const values = [], levels = [];
    let level = 0, i = 0, j = 0;
    while (i < ups.length || j < downs.length) {
      const value = j >= downs.length || ups[i] <= downs[j] ? ups[i] : downs[j];
      while (i < ups.length && ups[i] === value) { level++; i++; }
      while (j < downs.length && downs[j] === value) { level--; j++; }
      if (value === Infinity) break;
      values.push(value);
      levels.push(level);
    }
    return [values, levels];
  };
  /** Where the bars of dimensions begin, and where they end. */
  const ends = (dims) => {
    const first = [], last = [];
    for (const d of dims) for (let bar = ranges[d][0]; bar < ranges[d][1]; bar++) {
      first.push(Math.min(births[bar], deaths[bar]));
      last.push(Math.max(births[bar], deaths[bar]));
    }
    return [first, last];
  };

  class Curves extends Chart {
    constructor(host, label) {
      super(host, label);
      this.lines = data.dims.map((dim, d) => ({ d, title: `β${dim.name.slice(1)}`, curves: [steps(...ends([d]))] }));
      const [even, odd] = [0, 1].map((parity) => ends(data.dims.map((_, d) => d).filter((d) => data.dims[d].dim % 2 === parity)));
      const euler = data.curves.length ? data.curves.map((c) => [doubles(c.values), doubles(c.levels)])
        : [steps(even[0].concat(odd[1]), even[1].concat(odd[0]))];
      this.lines.push({ d: -1, title: "χ", curves: euler });
    }
    panels() {
      return this.lines.filter(({ d, curves }) => (d < 0 || isVisible[d] && data.dims[d].count) && curves.some((c) => c[0].length));
    }
    resize(isForced) {
      const wanted = `${Math.max(1, this.panels().length) * this.pitch() + 30}px`;
      if (this.host.style.height !== wanted) this.host.style.height = wanted;
      super.resize(isForced);
    }
    /** The height of a panel. */
    pitch() { return this.panels().length > 1 ? 130 : 260; }
    draw() {
      const context = this.context(this.base);
      const panels = this.panels(), pitch = this.pitch();
      const all = extent(panels.flatMap((panel) => panel.curves.map((c) => c[0])));
      const upwards = panels.map(({ curves }, k) => axis(extent([...curves.map((c) => c[1]), [0]]), (k + 1) * pitch - 24, k * pitch + 6, 26));
      // The titles stand left of the widest label.
      const widest = Math.max(0, ...upwards.flatMap((y) => y.ticks).map(([, label]) => context.measureText(label).width));
      panels.forEach(({ d, title, curves }, k) => {
        const box = [Math.max(62, Math.ceil(widest) + 34), k * pitch + 6, this.width - 10, (k + 1) * pitch - 24];
        const x = axis({ ...all, below: false, above: false }, box[0], box[2]);
        const y = upwards[k];
        frame(context, box, x, y, [k + 1 === panels.length ? "filtration value" : "", title]);
        context.save();
        context.beginPath(); context.rect(...rect(box)); context.clip();
        curves.forEach(([values, levels], c) => {
          context.strokeStyle = d < 0 ? (c ? colours.soft : colours.ink) : colours.dims[d];
          context.setLineDash(c ? [6, 3] : []);
          context.lineWidth = 1.6;
          context.beginPath();
          context.moveTo(box[0], y.at(0));
          let last = y.at(0);
          for (let j = 0; j < values.length && values[j] < Infinity; j++) {
            const at = values[j] === -Infinity ? box[0] : x.at(values[j]);
            context.lineTo(at, last);
            last = y.at(levels[j]);
            context.lineTo(at, last);
          }
          context.lineTo(box[2], last);
          context.stroke();
        });
        context.restore();
        context.setLineDash([]);
      });
    }
  }

  class Space extends Chart {
    constructor(host, label) {
      super(host, label);
      const points = doubles(data.points), along = [0, 1, 2].map((a) => points.filter((_, k) => k % 3 === a));
      const [low, high] = [Math.min, Math.max].map((of) => along.map((x) => x.reduce((p, q) => of(p, q))));
      /** The coordinates, from the middle of the points on. */
      this.points = points.map((x, k) => x - (low[k % 3] + high[k % 3]) / 2);
      this.turn = [0.5, 0.35];
      this.is3d = data.coordinates === 3;
      let radius = 0;
      for (let k = 0; k < points.length; k += 3) radius = Math.max(radius, Math.hypot(...this.points.subarray(k, k + 3)));
      /** What the picture has room for, however the points are turned. */
      this.widths = (this.is3d ? [2 * radius, 2 * radius] : [high[0] - low[0], high[1] - low[1]]).map((width) => width || 1);
      // Shells lie below loops. The loops that last longest have colours of their own.
      const bars = [...cyclesOf.keys()], isLoop = (bar) => cyclesOf.get(bar)[1] === 2;
      this.order = [...bars.filter((bar) => !isLoop(bar)), ...bars.filter(isLoop)];
      this.loops = bars.filter(isLoop).sort((a, b) => persistence(b) - persistence(a)).slice(0, LOOPS.length);
      this.over.addEventListener("pointerup", () => { this.from = null; });
      this.over.addEventListener("pointermove", (event) => {
        if (!this.from || !this.is3d) return;
        const [x, y] = this.at(event);
        this.rotate((x - this.from[0]) * 0.01, (y - this.from[1]) * 0.01);
        this.from = [x, y];
      });
      this.over.addEventListener("keydown", (event) => {
        const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
        if (this.is3d && turns[event.key]) { event.preventDefault(); this.rotate(...turns[event.key]); }
      });
    }
    rotate(about, tilt) {
      this.turn = [this.turn[0] + about, Math.max(-1.57, Math.min(1.57, this.turn[1] + tilt))];
      this.drawAll();
    }
    layout() {
      const n = this.points.length / 3;
      const scale = Math.min((this.width - 30) / this.widths[0], (this.height - 30) / this.widths[1]);
      const [[c0, s0], [c1, s1]] = this.turn.map((angle) => [Math.cos(angle), Math.sin(angle)]);
      this.xs = new Float32Array(n);
      this.ys = new Float32Array(n);
      for (let k = 0; k < n; k++) {
        const [x, y, z] = this.points.subarray(3 * k, 3 * k + 3);
        const [right, up] = this.is3d ? [c0 * x - s0 * y, c1 * z - s1 * (s0 * x + c0 * y)] : [x, y];
        this.xs[k] = this.width / 2 + scale * right;
        this.ys[k] = this.height / 2 - scale * up;
      }
    }
    colour(bar) {
      const loop = this.loops.indexOf(bar);
      return loop < 0 ? colours.dims[dimOf[bar]] : colours.loops[loop];
    }
    /** What the colours of loops stand for. */
    legend(context) {
      context.textAlign = "left";
      context.textBaseline = "middle";
      this.loops.filter((bar) => isVisible[dimOf[bar]]).forEach((bar, k) => {
        const y = 14 + 18 * k;
        context.fillStyle = this.colour(bar);
        context.fillRect(8, y - 2, 18, 4);
        context.fillStyle = colours.ink;
        context.fillText(`${data.dims[dimOf[bar]].name}, bar ${placeOf(bar)}: ${number(births[bar])} to ${number(deaths[bar])}`, 32, y);
      });
    }
    cells(context, cycle, fill) {
      const [, corners, vertices] = cycle;
      context.beginPath();
      for (let k = 0; k < vertices.length; k += corners) {
        context.moveTo(this.xs[vertices[k]], this.ys[vertices[k]]);
        for (let c = 1; c < corners; c++) context.lineTo(this.xs[vertices[k + c]], this.ys[vertices[k + c]]);
        if (corners === 3) context.closePath();
      }
      if (fill && corners === 3) { context.save(); context.globalAlpha = 0.12; context.fill(); context.restore(); }
      context.stroke();
    }
    draw() {
      const context = this.context(this.base);
      context.fillStyle = colours.soft;
      const size = this.xs.length > 5000 ? 1.2 : 2.4;
      for (let k = 0; k < this.xs.length; k++) context.fillRect(this.xs[k] - size / 2, this.ys[k] - size / 2, size, size);
      for (const bar of this.order) {
        if (!isVisible[dimOf[bar]]) continue;
        const cycle = cyclesOf.get(bar), isShell = cycle[1] === 3;
        context.strokeStyle = context.fillStyle = this.colour(bar);
        // Of a shell the lines are faint, so that loops on it stand out.
        context.globalAlpha = isShell ? 0.1 : this.loops.includes(bar) ? 1 : 0.6;
        context.lineWidth = isShell ? 0.6 : this.loops.includes(bar) ? 2.6 : 1.4;
        this.cells(context, cycle, false);
        context.globalAlpha = 1;
      }
      this.legend(context);
    }
    drawOver() {
      const context = this.context(this.over);
      for (const [bar, cycle] of cyclesOf) {
        if (!isVisible[dimOf[bar]] || !(selected[bar] || bar === hovered)) continue;
        context.strokeStyle = context.fillStyle = bar === hovered ? colours.accent : this.colour(bar);
        context.lineWidth = cycle[1] === 3 ? 1 : 4.5;
        this.cells(context, cycle, true);
      }
    }
  }

  // ---- Pointing and selecting

  const tooltip = byId("tooltip"), status = byId("status");
  const describe = (bar) => {
    const lines = [`${data.dims[dimOf[bar]].name}, bar ${placeOf(bar)}`, `birth ${number(births[bar])}`, `death ${number(deaths[bar])}`, `persistence ${number(persistence(bar))}`];
    const found = simplices.get(bar);
    if (found) lines.push(`birth simplex ${found[0]}`, found[1] ? `death simplex ${found[1]}` : "never dies");
    return lines;
  };
  const say = () => {
    status.textContent = hovered >= 0 ? describe(hovered).join(" · ")
      : selectedCount ? `${counted(selectedCount, "bar")} selected` : "";
  };
  const hover = (bar, event, at) => {
    if (bar !== hovered) { hovered = bar; drawOvers(); say(); markRow(); }
    if (bar < 0) { tooltip.hidden = true; return; }
    tooltip.textContent = describe(bar).join("\n");
    tooltip.hidden = false;
    const [x, y] = event ? [event.clientX, event.clientY] : at;
    const { offsetWidth: width, offsetHeight: height } = tooltip;
    tooltip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
    tooltip.style.top = `${y + 14 + height > innerHeight ? y - height - 10 : y + 14}px`;
  };
  let isStale = false;
  const changed = () => {
    byId("clear").disabled = !selectedCount;
    say();
    if (isStale) return;
    isStale = true;
    requestAnimationFrame(() => { isStale = false; drawOvers(); page = 0; fillTable(); });
  };
  const select = (isWanted) => {
    selectedCount = 0;
    for (let bar = 0; bar < count; bar++) {
      selected[bar] = isVisible[dimOf[bar]] && isWanted(bar) ? 1 : 0;
      selectedCount += selected[bar];
    }
    changed();
  };
  const clear = () => select(() => false);
  const toggle = (bar) => { selected[bar] ^= 1; selectedCount += selected[bar] ? 1 : -1; changed(); };
  const walk = (event, chart) => {
    const { order: bars, rows } = charts.barcode;
    if (event.key === "Escape") { clear(); hover(-1); return; }
    if (!bars.length) return;
    const here = hovered >= 0 ? rows[hovered] : -1;
    const far = Math.max(1, Math.floor(bars.length / 10)), last = bars.length - 1;
    const to = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, PageDown: here + far, PageUp: here - far, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const bar = bars[Math.max(0, Math.min(last, to))], box = chart.over.getBoundingClientRect(), [x, y] = chart.place(bar);
      hover(bar, null, [box.left + x, box.top + y]);
    } else if ((event.key === "Enter" || event.key === " ") && hovered >= 0) {
      event.preventDefault();
      toggle(hovered);
    }
  };

  // ---- The table

  const ROWS = 50;
  let page = 0, sorting = ["persistence", -1], tableBars = [];
  const columns = [["dim", (bar) => data.dims[dimOf[bar]].dim], ["bar", placeOf], ["birth", (bar) => births[bar]], ["death", (bar) => deaths[bar]], ["persistence", persistence]];
  const simplexColumns = simplices.size ? ["birth simplex", "death simplex"] : [];
  const simplicesOf = (bar) => simplexColumns.map((_, k) => simplices.get(bar)?.[k] || "");
  const fillTable = () => {
    const value = columns.find((column) => column[0] === sorting[0])[1];
    tableBars = [];
    for (let bar = 0; bar < count; bar++) if (selectedCount ? selected[bar] : isVisible[dimOf[bar]]) tableBars.push(bar);
    tableBars.sort((a, b) => sorting[1] * compare(value(a), value(b)) || a - b);
    showPage();
  };
  const showPage = () => {
    const body = document.createElement("tbody"), from = page * ROWS;
    for (const bar of tableBars.slice(from, from + ROWS)) {
      const row = body.insertRow();
      row.dataset.bar = bar;
      for (const [name, value] of columns) add(row, "td", name === "dim" || name === "bar" ? String(value(bar)) : number(value(bar)));
      for (const text of simplicesOf(bar)) add(row, "td", text);
      row.addEventListener("pointerenter", (event) => hover(bar, event));
      row.addEventListener("pointerleave", () => hover(-1));
    }
    byId("table").tBodies[0].replaceWith(body);
    const to = Math.min(from + ROWS, tableBars.length);
    const range = tableBars.length ? `${(from + 1).toLocaleString("en")}–${to.toLocaleString("en")} of ` : "";
    byId("table-count").textContent = `${range}${counted(tableBars.length, selectedCount ? "selected bar" : "bar")}`;
    byId("previous").disabled = !page;
    byId("next").disabled = to >= tableBars.length;
  };
  const markRow = () => {
    for (const row of byId("table").tBodies[0].rows) row.classList.toggle("hovered", Number(row.dataset.bar) === hovered);
  };
  const csv = () => {
    const plain = (x) => x === Infinity ? "inf" : x === -Infinity ? "-inf" : String(x);
    const head = ["dim", "birth", "death", ...simplexColumns.map((name) => name.replace(" ", "_"))].join(",");
    const lines = tableBars.slice().sort((a, b) => a - b).map((bar) =>
      [data.dims[dimOf[bar]].dim, plain(births[bar]), plain(deaths[bar]), ...simplicesOf(bar)].join(","));
    return [head, ...lines, ""].join("\n");
  };
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = "bars.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // ---- The page

  const order = new Uint32Array(count).map((_, k) => k);
  const goesDown = births.some((birth, bar) => deaths[bar] < birth) ? -1 : 1;
  order.sort((a, b) => dimOf[a] - dimOf[b] || goesDown * compare(births[a], births[b]) || goesDown * compare(deaths[a], deaths[b]) || a - b);

  const charts = {};
  const drawOvers = () => Object.values(charts).forEach((chart) => chart.width && chart.drawOver());
  const redrawAll = () => { readColours(); Object.values(charts).forEach((chart) => chart.resize(true)); };

  data.dims.forEach((dim, d) => {
    const label = add(byId("dims"), "label");
    const box = add(label, "input");
    box.type = "checkbox";
    box.checked = true;
    box.dataset.dim = dim.dim;
    box.addEventListener("change", () => {
      isVisible[d] = box.checked;
      hover(-1);
      select((bar) => selected[bar]);
      redrawAll();
    });
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "-1.4 -1.4 2.8 2.8");
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
    shape.setAttribute("points", cornersOf(d).join(" "));
    shape.style.fill = `var(--h${dim.dim % 7})`;
    svg.append(shape);
    label.append(svg, `${dim.name}: ${counted(dim.count, "bar")}`);
  });

  byId("title").textContent = data.title;
  for (const [name, value] of data.facts) { add(byId("facts"), "dt", name); add(byId("facts"), "dd", value); }
  const slowest = Math.max(...data.stages.map((stage) => stage[1]), 1e-9);
  for (const [name, seconds] of data.stages) {
    const row = byId("stages").tBodies[0].insertRow();
    add(row, "td", name);
    add(row, "td", seconds.toFixed(3));
    const share = add(add(row, "td"), "div");
    share.className = "share";
    share.style.width = `${100 * seconds / slowest}%`;
  }
  byId("plan").textContent = data.plan;
  byId("plan-section").hidden = !data.plan;
  byId("footer").textContent = `Made by Lacuna ${data.version}.`;

  byId("theme").addEventListener("click", () => {
    theme = (theme + 1) % THEMES.length;
    byId("theme").textContent = `Theme: ${THEMES[theme]}`;
    redrawAll();
  });
  systemIsDark.addEventListener("change", redrawAll);
  // Paper is narrow, too. No size may be left to change while the page is printed, which would clear what is drawn.
  addEventListener("beforeprint", () => { root.dataset.print = ""; redrawAll(); });
  addEventListener("afterprint", () => { delete root.dataset.print; redrawAll(); });
  byId("clear").addEventListener("click", clear);
  byId("previous").addEventListener("click", () => { page--; showPage(); });
  byId("next").addEventListener("click", () => { page++; showPage(); });
  byId("download").addEventListener("click", download);
  const head = byId("table").tHead.insertRow();
  for (const [name] of columns) {
    const th = add(head, "th"), button = add(th, "button", name);
    th.scope = "col";
    button.type = "button";
    button.addEventListener("click", () => {
      sorting = [name, sorting[0] === name ? -sorting[1] : 1];
      head.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", sorting[1] > 0 ? "ascending" : "descending");
      page = 0;
      fillTable();
    });
  }
  for (const name of simplexColumns) add(head, "th", name).scope = "col";

  const hasBars = data.dims.length > 0;
  for (const id of ["bars", "help", "table-section"]) byId(id).hidden = !hasBars;
  byId("curves-section").hidden = !count && !data.curves.length;
  byId("space-section").hidden = !data.points;
  if (hasBars) {
    charts.diagram = new Diagram("diagram", `Persistence diagram of ${counted(count, "bar")}. Arrow keys walk along the bars.`);
    charts.barcode = new Barcode("barcode", `Barcode of ${counted(count, "bar")}. Arrow keys walk along the bars.`);
  }
  if (count || data.curves.length) charts.curves = new Curves("curves", hasBars ? "Betti curves and Euler characteristic" : "Euler characteristic curve");
  if (!hasBars) byId("curves-caption").textContent = "Euler characteristic curve";
  if (data.points) {
    charts.space = new Space("space", `${counted(cyclesOf.size, "cycle")} between ${counted(data.points.length ? doubles(data.points).length / 3 : 0, "point")}`);
    byId("space-caption").textContent = `Cycles of ${counted(cyclesOf.size, "bar")}${data.coordinates === 3 ? "; drag or use arrow keys to turn" : ""}`;
  }
  redrawAll();
  document.body.dataset.drawn = String(performance.now());
  if (hasBars) setTimeout(fillTable, 0);

  // For tests, and for the console.
  window.lacunaReport = { count, csv, state: () => ({ hovered, selected: selectedCount, visible: isVisible.slice() }), place: (chart, bar) => charts[chart].place(bar) };
})();
