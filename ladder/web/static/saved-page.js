// A replay that was saved as a page: its links to instances of a puzzle show them in place.
"use strict";
(() => {
  const place = document.getElementById("instance");
  document.addEventListener("click", (event) => {
    const link = place && event.target.closest("a[href^='#instance=']");
    if (!link) return;
    event.preventDefault();
    const wanted = document.getElementById(`instance-${link.hash.slice("#instance=".length)}`);
    document.dispatchEvent(new Event("swapped"));
    place.replaceChildren(wanted.content.cloneNode(true));
    place.querySelector(".player").hidden = false;
  });
})();
