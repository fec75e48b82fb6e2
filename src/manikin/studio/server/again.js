// Loads the page again if it has gone blank, as soon as a studio answers.
//
// viser's page ends with an error, and shows nothing more, where a skinned mesh is taken from its scene, and that is what
// it does when the studio that it belongs to is started again.
(() => {
  "use strict";
  const WAIT = 1000; // ms between questions
  const BLANK = 500; // ms that the page is blank before it counts as gone
  if (location.protocol === "file:") return; // an exported page has no studio
  let since = null;
  let shown = false;
  let asking = false;

  async function ask() {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (answer.ok) location.reload();
    } catch {
      // not yet
    }
  }

  setInterval(async () => {
    const root = document.getElementById("root");
    if (root === null || asking) return;
    if (root.childElementCount > 0) {
      shown = true;
      since = null;
      return;
    }
    since ??= performance.now();
    if (!shown || performance.now() - since < BLANK) return;
    asking = true;
    await ask();
    asking = false;
  }, WAIT);
})();
