// Keeps a page with live data fresh: fetches it again and swaps its <main>. Pages work without it.
"use strict";
(() => {
  const every = 5000;
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  let shown = main.innerHTML;

  const busy = () =>
    document.hidden || main.contains(document.activeElement) || String(getSelection()) !== "";

  const refresh = async () => {
    if (busy()) return;
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main");
    if (!fresh || busy() || fresh.innerHTML === shown) return;
    // A script that the old page did not have runs only in a page that is loaded anew.
    if (fresh.querySelector("canvas")) return location.reload();
    const scrolled = [...main.querySelectorAll(".wide")].map((box) => box.scrollLeft);
    shown = fresh.innerHTML;
    main.innerHTML = shown;
    main.querySelectorAll(".wide").forEach((box, i) => (box.scrollLeft = scrolled[i] || 0));
    if (!fresh.hasAttribute("data-live")) clearInterval(timer);
  };

  // A server that restarts is no reason to stop asking.
  const timer = setInterval(() => refresh().catch(() => {}), every);
})();
