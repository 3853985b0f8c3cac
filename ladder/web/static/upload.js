// The upload page: choosing another game shows its starter, unless the text was edited.
"use strict";
(() => {
  const game = document.getElementById("game");
  const code = document.getElementById("code");
  if (!game || !code) return;
  let starter = code.value;

  game.addEventListener("change", async () => {
    if (code.value !== starter) return;
    const answer = await fetch(`/upload?game=${encodeURIComponent(game.value)}`);
    if (!answer.ok || code.value !== starter) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    code.value = starter = page.getElementById("code").value;
  });

  // A text file is shown in the editor; the page then sends the text of the editor.
  document.getElementById("file").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file || !/\.(py|lisp)$/.test(file.name) || file.size > 1 << 20) return;
    code.value = starter = await file.text();
    event.target.value = "";
    document.getElementById("taken").textContent = `This is ${file.name}, as it will be uploaded.`;
    const name = document.getElementById("name");
    if (!name.value) name.value = file.name.replace(/\.\w+$/, "");
  });

  // The tab key indents; after Escape it moves the focus again.
  let indents = true;
  code.addEventListener("keydown", (event) => {
    if (event.key === "Escape") indents = false;
    if (event.key !== "Tab" || event.shiftKey || !indents) return;
    event.preventDefault();
    code.setRangeText("    ", code.selectionStart, code.selectionEnd, "end");
  });
  code.addEventListener("blur", () => (indents = true));
})();
