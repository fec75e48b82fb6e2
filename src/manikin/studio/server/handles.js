// Handles lie in front: they are drawn over the body and take the mouse before it.
//
// Of viser's page it uses the objects of the scene by their names; where these are missing nothing is changed, and
// handles are seen where nothing is before them.
(() => {
  "use strict";
  const BEFORE = 1e-3; // of its distance, at which a handle counts for the mouse
  const LAST = 9_000; // drawn after all that is solid, before labels
  const done = new WeakMap(); // of meshes: the material that lies in front

  function inFront(mesh) {
    if (done.get(mesh) === mesh.material) return;
    const first = !done.has(mesh);
    done.set(mesh, mesh.material);
    mesh.material.depthTest = false;
    mesh.material.transparent = true;
    mesh.renderOrder = LAST;
    if (!first) return;
    const own = mesh.raycast;
    mesh.raycast = function (raycaster, hits) {
      const found = [];
      own.call(this, raycaster, found);
      for (const hit of found) hits.push({ ...hit, distance: BEFORE * hit.distance });
    };
  }

  setInterval(() => {
    const objects = window.__viserMutable?.nodeRefFromName;
    if (!objects) return;
    let found = false;
    for (const [name, node] of Object.entries(objects)) {
      if (!name.startsWith("/handles") || !node) continue;
      node.traverse((mesh) => {
        if (mesh.isMesh && mesh.material?.isMeshStandardMaterial && done.get(mesh) !== mesh.material) {
          inFront(mesh);
          found = true;
        }
      });
    }
    if (found) window.__viserMutable.requestRender?.();
  }, 250);
})();
