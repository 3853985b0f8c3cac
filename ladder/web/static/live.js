// Keeps a live page up to date: <main data-live="game:reversi,bot:12"> is
// fetched again when one of its topics has news. Pages work without it.
"use strict";
(() => {
  const main = document.querySelector("main[data-live]");
  if (!main) return;

  let topics = main.dataset.live;
  let since = main.dataset.since; // the newest event known to the page or this script
  let stream = null;
  let patience = 1000; // milliseconds until the next try after a refusal
  let retry = 0;
  let stale = false; // whether there was news since the page was fetched
  let due = 0; // the timer of the next refresh
  let shownAt = performance.now();
  let streak = 0; // refreshes that followed each other closely: a busy page slows down
  let shown = main.innerHTML;

  const pause = () => 1000 * (main.dataset.pause || 1);
  const typing = () =>
    main.contains(document.activeElement) &&
    document.activeElement.matches("input, select, textarea");
  const busy = () => document.hidden || typing() || String(getSelection()) !== "";

  const open = () => {
    clearTimeout(retry);
    if (stream || document.hidden || !topics) return;
    stream = new EventSource(`/live?topics=${encodeURIComponent(topics)}&since=${since}`);
    stream.onopen = () => (patience = 1000);
    stream.onmessage = (event) => {
      since = event.lastEventId || since;
      const news = JSON.parse(event.data);
      document.dispatchEvent(new CustomEvent("live", { detail: news }));
      stale = true;
      plan();
    };
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
      close();
      retry = setTimeout(open, patience * (1 + Math.random()));
      patience = Math.min(2 * patience, 60000);
    };
  };

  // A browser has few connections to one server: hidden tabs close theirs.
  const close = () => {
    clearTimeout(retry);
    if (stream) stream.close();
    stream = null;
  };

  const plan = () => {
    if (due || !stale || document.hidden) return;
    const now = performance.now();
    const slowest = Math.max(15000, pause());
    const step = Math.min(pause() * (1 + streak), slowest) * (1 + Math.random() / 3);
    if (now - shownAt > 2 * step) streak = 0;
    const wait = Math.max(50, shownAt + step - now);
    due = setTimeout(async () => {
      stale = !(await refresh().catch(() => false)) || stale; // a server that restarts comes back
      shownAt = performance.now();
      due = 0;
      plan();
    }, wait);
  };

  // True when the page is as new as the news that caused its request.
  const refresh = async () => {
    if (busy()) return false;
    stale = false;
    streak += 1;
    const headers = { "Live-Event": since };
    const answer = await fetch(location.href, { credentials: "same-origin", headers });
    if (!answer.ok) return true;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("main");
    if (!fresh) return true;
    if (busy()) return false;
    follow(fresh);
    if (fresh.innerHTML === shown) return true;
    // A script that is new on the page runs only after a full reload.
    if (fresh.querySelector("canvas") && !main.querySelector("canvas")) location.reload();
    else swap(fresh);
    return true;
  };

  const follow = (fresh) => {
    const wanted = fresh.dataset.live || "";
    if (wanted === topics) return;
    topics = wanted;
    close();
    open();
  };

  const swap = (fresh) => {
    const scrolled = [...main.querySelectorAll(".wide")].map((box) => box.scrollLeft);
    const unfolded = [...main.querySelectorAll("details")].map((box) => box.open);
    const focused = [...main.querySelectorAll("a, button, summary")].indexOf(document.activeElement);
    shown = fresh.innerHTML;
    main.innerHTML = shown;
    main.querySelectorAll(".wide").forEach((box, i) => (box.scrollLeft = scrolled[i] || 0));
    main.querySelectorAll("details").forEach((box, i) => {
      if (i in unfolded) box.open = unfolded[i];
    });
    if (focused >= 0) {
      const again = main.querySelectorAll("a, button, summary")[focused];
      if (again) again.focus({ preventScroll: true });
    }
    document.dispatchEvent(new CustomEvent("swapped"));
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    plan();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
})();
