// Escape closes the dialog in front, by its last button, and keys do nothing to what lies behind it.
(() => {
  "use strict";
  const typing = (element) => element.closest?.("input, textarea, select, [contenteditable]");

  function inFront() {
    const open = [...document.querySelectorAll('[role="dialog"]')];
    return open.filter((dialog) => dialog.getClientRects().length > 0).pop();
  }

  window.addEventListener(
    "keydown",
    (event) => {
      const dialog = inFront();
      if (dialog === undefined) return;
      const inside = dialog.contains(event.target);
      if (inside && typing(event.target)) return; // its own lists and fields
      if (event.key === "Tab") return; // the dialog keeps the focus itself
      event.stopImmediatePropagation();
      if (event.key === "Escape") {
        event.preventDefault();
        [...dialog.querySelectorAll("button")].pop()?.click();
      } else if (!inside) {
        event.preventDefault();
      }
    },
    true,
  );
})();
