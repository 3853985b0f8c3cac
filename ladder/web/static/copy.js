// Buttons that copy the text of an element with `data-copy`, whose value is the label.
"use strict";
(() => {
  // The clipboard is for pages by HTTPS or on this machine; others copy the selected text.
  const copy = async (text, from) => {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    window.getSelection().selectAllChildren(from);
    if (!document.execCommand("copy")) throw new Error("not allowed");
  };

  for (const from of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = from.dataset.copy;
    const told = document.createElement("span");
    told.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      told.textContent = "";
      try {
        await copy(from.textContent.trim(), from);
        told.textContent = " Copied.";
      } catch {
        window.getSelection().selectAllChildren(from);
        told.textContent = " Selected: press Ctrl+C or ⌘C.";
      }
    });
    const line = document.createElement("p");
    line.append(button, told);
    from.closest("pre").after(line);
  }
})();
