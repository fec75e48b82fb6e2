// Keeps the picture moving where drawing is slow, as it is without a GPU.
//
// While something moves, a picture is drawn with fewer pixels, fewer triangles and no shadows where that is what it takes
// to have WANTED of them a second; when nothing moves any more it is drawn as well as it can be. A browser that is quick
// enough is left alone. `?fixedDpr=` behind the address fixes the pixels, and nothing is done here.
//
// Of viser's page it uses what that lays open on `window` (its settings, scene, queue of messages and counter of
// pictures). Where a part of that is missing nothing is changed.
(() => {
  "use strict";
  const WANTED = 30; // pictures a second
  const ENOUGH = 45; // a better level is tried above this
  const WINDOW = 400; // ms over which pictures are counted
  const GAP = 150; // ms without a change after which a window says nothing about drawing
  const BEGIN = 80; // ms of changes that follow on each other after which something is said to move
  const REST = 300; // ms without a change after which it rests
  const HELD = 1000; // the same while a button is held
  const FOLLOWING = 2; // pictures, at most, that a change comes after another: one of them may take longer than REST
  const QUIET = 1500; // ms without a change that are rest however few pictures came in them
  const PATIENCE = 20_000; // ms before a level that was too slow is tried again
  const SLOW_WINDOWS = 3; // as many in turn before anything is changed where there is a GPU
  // Pixels drawn for one of the screen's, across and down, whether there are shadows, and whether meshes have all of
  // their triangles. The first is viser's own.
  const LEVELS = [
    { pixels: 1, shadows: true, fine: true },
    { pixels: 1, shadows: false, fine: true },
    { pixels: 0.75, shadows: false, fine: false },
    { pixels: 0.6, shadows: false, fine: false },
    { pixels: 0.5, shadows: false, fine: false },
    { pixels: 0.4, shadows: false, fine: false },
  ];
  // Where a browser without a GPU begins, and what it draws at rest. Four samples a pixel, viser's antialiasing, cost it
  // more than half of a picture and cannot be switched off for moving ones: it draws more pixels at rest instead.
  const WITHOUT_GPU = 4;
  const SMOOTH = 1.5;
  const OFF = 3; // of the screen's pixels that a mesh of fewer triangles may be off
  const THIN = 6; // and as a share of its radius no more than one in so many
  const FEW = 24; // triangles that are left as they are

  const software = drawnBySoftware();
  if (software) withoutSamples();
  setInterval(withoutBackground, 250);
  if (new URLSearchParams(location.search).get("fixedDpr") !== null) return;

  const state = { software, moving: false, level: software ? WITHOUT_GPU : 0, rate: 0, switched: 0, prepared: 0, waiting: 0 };
  window.__manikinPace = state;
  const coarse = new WeakMap(); // of geometries: the index of all triangles, and that of fewer
  const asked = new WeakMap(); // what was asked of the worker for them
  const waiting = new Map(); // and not answered yet
  let asks = 0;
  let worker = null;
  let later = 0;
  let first = 0; // when the changes that follow on each other began
  let last = -Infinity; // and the latest of them
  let lastPicture = 0; // and the picture that it came after
  let held = false;
  let timer = 0;
  let slow = 0;
  let since = 0; // the window in which pictures are counted, and the count when it began
  let counted = 0;
  let longest = 0;
  let failed = -Infinity; // when a level proved too slow, and which
  let tooGood = -1;

  function drawnBySoftware() {
    try {
      const gl = document.createElement("canvas").getContext("webgl2");
      const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
      const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
      return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
    } catch {
      return false;
    }
  }

  function withoutSamples() {
    const own = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, wanted, ...more) {
      const plain = wanted && wanted.antialias ? { ...wanted, antialias: false } : wanted;
      return own.call(this, kind, plain, ...more);
    };
  }

  // viser lays a background over the whole window whose every pixel is then thrown away where it has no image.
  function withoutBackground() {
    const material = window.__viserMutable?.backgroundMaterial;
    if (material?.uniforms?.enabled) material.visible = Boolean(material.uniforms.enabled.value);
  }

  const settings = () => window.__viserTestpoints?.devSettings;
  const pictures = () => window.__viserTestpoints?.rendererInfo?.render?.frame ?? 0;

  // The lamps of the scene as the server wants them, and their objects.
  function* lamps() {
    const objects = window.__viserMutable?.nodeRefFromName ?? {};
    for (const [name, node] of Object.entries(window.__viserSceneTree?.getState() ?? {})) {
      const wanted = node?.message?.props?.cast_shadow;
      if (wanted === undefined || !node.message.type.endsWith("LightMessage")) continue;
      const found = [];
      objects[name]?.traverse((object) => object.isLight && found.push(object));
      for (const light of found) yield [light, wanted];
    }
  }

  function* meshes() {
    const found = [];
    window.__viserMutable?.scene?.traverse((object) => object.isMesh && found.push(object));
    for (const mesh of found) if (mesh.geometry?.index && mesh.material?.isMeshStandardMaterial) yield mesh;
  }

  // How far a mesh may be off its own where it is seen from here.
  function within(mesh, camera, high) {
    const ball = mesh.geometry.boundingSphere;
    if (!ball) return 0;
    const center = ball.center.clone().applyMatrix4(mesh.matrixWorld);
    const distance = Math.max(center.distanceTo(camera.position) - ball.radius, 0.1);
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360) * distance) / high;
    return Math.min(OFF * pixel, ball.radius / THIN);
  }

  // Have meshes of fewer triangles made by a worker, of those that have none or were seen from elsewhere.
  function prepare() {
    const page = window.__viserMutable;
    const high = page?.canvas?.clientHeight;
    if (state.moving || !high || !page.camera?.fov) return;
    for (const mesh of meshes()) {
      const { geometry } = mesh;
      const fine = geometry.index;
      const most = within(mesh, page.camera, high);
      const known = asked.get(geometry);
      const same = known && known.fine === fine && known.faces === fine.array;
      if (most === 0 || fine.count <= 3 * FEW || (same && known.within < 2 * most && known.within > most / 4)) continue;
      const wish = { geometry, fine, faces: fine.array, within: most };
      asked.set(geometry, wish);
      const key = ++asks;
      waiting.set(key, wish);
      state.waiting = waiting.size;
      worker ??= hired();
      worker.postMessage({ key, points: geometry.attributes.position.array, faces: fine.array, within: most });
    }
  }

  function hired() {
    const source = `const coarser = ${window.__manikinCoarser.source};
      onmessage = ({ data: { key, points, faces, within } }) => postMessage({ key, faces: coarser(points, faces, within) });`;
    const found = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    found.onmessage = ({ data: { key, faces } }) => {
      const { geometry, fine } = waiting.get(key);
      waiting.delete(key);
      if (asked.get(geometry)?.fine !== fine) return; // it has another shape by now
      if (geometry.index === coarse.get(geometry)?.index) geometry.index = fine;
      coarse.set(geometry, { fine, index: new fine.constructor(faces, 1) });
      state.prepared += 1;
      state.waiting = waiting.size;
      if (state.moving) detail(LEVELS[state.level].fine);
    };
    return found;
  }

  function detail(fine) {
    for (const { geometry } of meshes()) {
      const known = coarse.get(geometry);
      if (known && fine && geometry.index === known.index) geometry.index = known.fine;
      else if (known && !fine && geometry.index === known.fine) geometry.index = known.index;
    }
  }

  function draw(pixels, shadows, fine) {
    detail(fine);
    for (const [light, wanted] of lamps()) light.castShadow = shadows && wanted;
    const store = settings();
    if (store && store.get().fixedDpr !== pixels) {
      store.set({ fixedDpr: pixels });
      state.switched += 1;
    }
    window.__viserMutable?.requestRender?.();
  }

  // Another size empties a canvas: have it drawn before it is shown.
  function drawnAtOnce(canvas) {
    const own = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, "width");
    Object.defineProperty(canvas, "width", {
      ...own,
      set(value) {
        own.set.call(this, value);
        window.__viserMutable?.requestRender?.();
      },
    });
  }

  function drawMoving() {
    const { pixels, shadows, fine } = LEVELS[state.level];
    draw(state.level === 0 ? null : pixels * window.devicePixelRatio, shadows, fine);
    since = 0;
  }

  function drawResting() {
    draw(software ? Math.max(SMOOTH, window.devicePixelRatio) : null, true, true);
    prepareLater();
  }

  function prepareLater() {
    clearTimeout(later);
    later = setTimeout(prepare, REST);
  }

  function begin() {
    state.moving = true;
    if (state.level > 0) drawMoving();
    since = slow = 0;
    requestAnimationFrame(watch);
    clearTimeout(timer);
    timer = setTimeout(end, REST);
  }

  function end() {
    const quiet = performance.now() - last;
    const left = (held ? HELD : REST) - quiet;
    if (left > 0 || (quiet < QUIET && pictures() - lastPicture < FOLLOWING)) {
      timer = setTimeout(end, Math.max(left, REST / 6));
      return;
    }
    state.moving = false;
    if (state.level > 0 || settings()?.get().fixedDpr !== null) drawResting();
  }

  // Something changed: now means that it moves for certain.
  function changed(now) {
    const time = performance.now();
    if (time - last > REST && pictures() - lastPicture > FOLLOWING) first = time;
    longest = Math.max(longest, time - last);
    last = time;
    lastPicture = pictures();
    if (!state.moving && settings() && (now || time - first > BEGIN)) begin();
    if (!state.moving && (software || state.level > 0)) prepareLater();
  }

  function watch(time) {
    if (!state.moving) return;
    requestAnimationFrame(watch);
    if (since === 0) {
      since = time;
      counted = pictures();
      longest = 0;
      return;
    }
    if (time - since < WINDOW) return;
    state.rate = (1000 * (pictures() - counted)) / (time - since);
    const told = longest < GAP || state.rate < 1000 / GAP;
    since = 0;
    if (told && performance.now() - last < GAP) judge(state.rate);
  }

  function judge(rate) {
    slow = rate < WANTED - 0.5 ? slow + 1 : 0;
    if (slow > 0 && state.level < LEVELS.length - 1 && (software || slow >= SLOW_WINDOWS)) {
      tooGood = state.level;
      failed = performance.now();
      state.level += 1;
      slow = 0;
      drawMoving();
    } else if (rate > ENOUGH && state.level > 0) {
      if (state.level - 1 === tooGood && performance.now() - failed < PATIENCE) return;
      state.level -= 1;
      drawMoving();
    }
  }

  // Changes come as messages of the server, which ask for a picture while they wait in the queue, and by the mouse.
  function listen() {
    const page = window.__viserMutable;
    const ask = page?.requestRender;
    if (page?.canvas && !Object.hasOwn(page.canvas, "width")) drawnAtOnce(page.canvas);
    if (!settings() || !ask || ask.isListenedTo) return;
    const heard = () => {
      if (page.messageQueue?.length) changed(false);
      return ask();
    };
    heard.isListenedTo = true;
    page.requestRender = heard;
    // Both ways of drawing are made ready while the page comes up, so that the first drag does not wait for them.
    if (software && state.switched === 0) changed(true);
  }

  const onScene = (event) => event.target === window.__viserMutable?.canvas || event.target?.tagName === "CANVAS";
  addEventListener("pointerdown", (event) => (held = onScene(event)), true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => (held = false), true);
  addEventListener("pointermove", (event) => held && event.buttons && changed(true), true);
  addEventListener("wheel", (event) => onScene(event) && changed(false), { capture: true, passive: true });
  setInterval(listen, 250);
})();
