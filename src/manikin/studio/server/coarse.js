// Fewer triangles for what moves where drawing is slow: `coarser(points, faces, within)`.
//
// Vertices are drawn into a neighbour, those first that lie closest to the surface without them, as long as none is off
// it by more than `within`, what it carried along before counted in; measured from the planes of the triangles about it,
// which is a little less than from the triangles themselves. None is added or moved, so that normals and the
// weights of a skin go on holding. A vertex stays at a rim or a crease, where its going would fold the surface (a
// triangle about it would turn by more than FOLD), and in the round in which a neighbour went.
//
// `coarser.source` makes it anew where the page's own things are not at hand, in a worker.
window.__manikinCoarser = (() => {
  "use strict";
  function make() {
    const FOLD = 0.5; // cosine
    const LEAST = 0.03; // share of the triangles that a round has to take away for there to be another
    const CLOSE = 3; // as many of the nearest neighbours are tried

    // The triangles about each vertex: those of v are about[start[v]] to about[start[v + 1]].
    function fans(faces, count) {
      const start = new Uint32Array(count + 1);
      for (const v of faces) start[v + 1] += 1;
      for (let v = 0; v < count; v++) start[v + 1] += start[v];
      const about = new Uint32Array(faces.length);
      const next = start.slice();
      for (let k = 0; k < faces.length; k++) about[next[faces[k]]++] = (k / 3) | 0;
      return { start, about };
    }

    // Twice the area of a triangle along its normal, into `out`.
    function normal(points, a, b, c, out) {
      const x = points[3 * a];
      const y = points[3 * a + 1];
      const z = points[3 * a + 2];
      const ux = points[3 * b] - x;
      const uy = points[3 * b + 1] - y;
      const uz = points[3 * b + 2] - z;
      const vx = points[3 * c] - x;
      const vy = points[3 * c + 1] - y;
      const vz = points[3 * c + 2] - z;
      out[0] = uy * vz - uz * vy;
      out[1] = uz * vx - ux * vz;
      out[2] = ux * vy - uy * vx;
      return Math.hypot(out[0], out[1], out[2]);
    }

    function apart(points, a, b) {
      const x = points[3 * a] - points[3 * b];
      const y = points[3 * a + 1] - points[3 * b + 1];
      const z = points[3 * a + 2] - points[3 * b + 2];
      return x * x + y * y + z * z;
    }

    // A vertex's neighbours, nearest first, where it is inside a surface: each is in two of its triangles. Null at a rim.
    function neighbours(points, faces, { start, about }, v) {
      const found = [];
      const times = [];
      for (let k = start[v]; k < start[v + 1]; k++)
        for (let j = 0; j < 3; j++) {
          const other = faces[3 * about[k] + j];
          if (other === v) continue;
          const at = found.indexOf(other);
          if (at < 0) {
            found.push(other);
            times.push(1);
          } else times[at] += 1;
        }
      if (found.length < 3 || times.some((count) => count !== 2)) return null;
      return found.sort((a, b) => apart(points, v, a) - apart(points, v, b));
    }

    const one = new Float64Array(3);
    const other = new Float64Array(3);

    // How far v is off the triangles that take the place of those about it when it goes to u; Infinity where they fold.
    function off(points, faces, { start, about }, v, u) {
      let gone = 0;
      let most = 0;
      for (let k = start[v]; k < start[v + 1]; k++) {
        const t = 3 * about[k];
        const a = faces[t];
        const b = faces[t + 1];
        const c = faces[t + 2];
        if (a === u || b === u || c === u) {
          gone += 1;
          continue;
        }
        const before = normal(points, a, b, c, one);
        const after = normal(points, a === v ? u : a, b === v ? u : b, c === v ? u : c, other);
        const along = one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
        if (!(along > FOLD * before * after)) return Infinity;
        const x = points[3 * v] - points[3 * u];
        const y = points[3 * v + 1] - points[3 * u + 1];
        const z = points[3 * v + 2] - points[3 * u + 2];
        most = Math.max(most, Math.abs(x * other[0] + y * other[1] + z * other[2]) / after);
      }
      return gone === 2 ? most : Infinity;
    }

    // One round; `carried` is how far what was drawn into a vertex is off.
    function round(points, faces, within, carried) {
      const count = points.length / 3;
      const fan = fans(faces, count);
      const goal = new Int32Array(count);
      const cost = new Float64Array(count);
      const order = [];
      for (let v = 0; v < count; v++) {
        const around = fan.start[v] < fan.start[v + 1] ? neighbours(points, faces, fan, v) : null;
        if (around === null) continue;
        cost[v] = Infinity;
        for (const u of around.slice(0, CLOSE)) {
          const way = off(points, faces, fan, v, u) + carried[v];
          if (way < cost[v]) [cost[v], goal[v]] = [way, u];
        }
        if (cost[v] <= within) order.push(v);
      }
      order.sort((a, b) => cost[a] - cost[b]);
      // About a vertex that went the fans hold no more: its neighbours stay in this round.
      const still = new Uint8Array(count);
      const out = Uint32Array.from(faces);
      for (const v of order) {
        if (still[v]) continue;
        const u = goal[v];
        for (let k = fan.start[v]; k < fan.start[v + 1]; k++)
          for (let j = 3 * fan.about[k]; j < 3 * fan.about[k] + 3; j++) {
            if (out[j] === v) out[j] = u;
            still[faces[j]] = 1;
          }
        carried[u] = Math.max(carried[u], cost[v]);
      }
      return out.filter((_, k) => {
        const t = k - (k % 3);
        return out[t] !== out[t + 1] && out[t + 1] !== out[t + 2] && out[t + 2] !== out[t];
      });
    }

    return function coarser(points, faces, within) {
      const carried = new Float64Array(points.length / 3);
      for (let now = faces; ; ) {
        const next = round(points, now, within, carried);
        if (next.length > (1 - LEAST) * now.length) return next;
        now = next;
      }
    };
  }
  return Object.assign(make(), { source: `(${make})()` });
})();
