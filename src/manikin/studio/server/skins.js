// Of a skin that the mouse is over, the part under it is outlined, not the whole.
//
// Which part each bone is of stands in the name of a node beside the skin, `/parts` and the skin's own name before it;
// without one every bone is a part. Of viser's page it uses the objects of the scene by their names, and that a mesh's
// outline is a mesh of a material of its own below it; where these are missing the whole skin is outlined.
(() => {
  "use strict";
  const SKIN = /^\/figure .*skin \d+$/;
  const skins = new WeakMap(); // of a skin's mesh: its name and the part that is outlined
  const outlines = new WeakMap(); // of an outline's mesh: its own geometry, and those of parts

  const nodes = () => window.__viserMutable?.nodeRefFromName ?? {};

  function partsOf(name) {
    const before = `/parts${name}/`;
    const found = Object.keys(nodes()).find((other) => other.startsWith(before));
    return found?.slice(before.length).split(".").map(Number);
  }

  // The part of each vertex: that of the bone which carries most of it.
  function partsOfVertices(geometry, parts) {
    const { skinIndex, skinWeight } = geometry.attributes;
    return Int32Array.from({ length: skinIndex.count }, (_, v) => {
      let bone = 0;
      let most = -1;
      for (let k = 0; k < 4; k++) {
        const weight = skinWeight.getComponent(v, k);
        if (weight > most) [most, bone] = [weight, skinIndex.getComponent(v, k)];
      }
      return parts?.[bone] ?? bone;
    });
  }

  // The same surface, of which only the triangles are left that have two corners of a part.
  function only(geometry, of, part) {
    const { index, attributes } = geometry;
    const corner = (k) => (index ? index.getX(k) : k);
    const count = index ? index.count : attributes.position.count;
    const left = [];
    for (let k = 0; k + 2 < count; k += 3) {
      const own = [corner(k), corner(k + 1), corner(k + 2)];
      if (own.filter((v) => of[v] === part).length > 1) left.push(...own);
    }
    const found = new geometry.constructor();
    for (const [name, values] of Object.entries(attributes)) found.setAttribute(name, values);
    found.setIndex(left);
    return found;
  }

  function outlineOf(skin) {
    let found = null;
    skin.traverse((mesh) => {
      if (mesh !== skin && mesh.isSkinnedMesh && mesh.material?.uniforms?.thickness) found = mesh;
    });
    return found;
  }

  function outline(skin, name, vertex) {
    const mesh = outlineOf(skin);
    if (!mesh) return;
    const known = outlines.get(mesh);
    const ours = known && (mesh.geometry === known.whole || known.parts.get(known.part) === mesh.geometry);
    const bones = partsOf(name);
    const kept = ours
      ? known
      : { whole: mesh.geometry, of: partsOfVertices(mesh.geometry, bones), parts: new Map(), part: null };
    outlines.set(mesh, kept);
    const part = partsOfVertices(vertex, bones)[0];
    if (part === kept.part) return;
    if (!kept.parts.has(part)) kept.parts.set(part, only(kept.whole, kept.of, part));
    kept.part = part;
    mesh.geometry = kept.parts.get(part);
    mesh.frustumCulled = false;
    window.__viserMutable.requestRender?.();
  }

  // A geometry of one corner, to ask the part of.
  function cornerOf(geometry, v) {
    const { skinIndex, skinWeight } = geometry.attributes;
    const one = (values) => ({ count: 1, getComponent: (_, k) => values.getComponent(v, k) });
    return { attributes: { skinIndex: one(skinIndex), skinWeight: one(skinWeight) } };
  }

  function listenTo(skin, name) {
    if (skins.has(skin)) return;
    skins.set(skin, name);
    const own = skin.raycast;
    skin.raycast = function (raycaster, hits) {
      const found = [];
      own.call(this, raycaster, found);
      hits.push(...found);
      const nearest = found.reduce((a, b) => (a && a.distance <= b.distance ? a : b), null);
      if (nearest?.face) outline(skin, name, cornerOf(skin.geometry, nearest.face.a));
    };
  }

  setInterval(() => {
    for (const [name, node] of Object.entries(nodes())) {
      if (!node || !SKIN.test(name)) continue;
      node.traverse((mesh) => {
        if (mesh.isSkinnedMesh && !mesh.material?.uniforms && mesh.geometry?.attributes.skinIndex)
          listenTo(mesh, name);
      });
    }
  }, 250);
})();
