// Times as the reader's clock shows them. Without this script, pages show UTC.
"use strict";
(() => {
  const day = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });
  const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" });
  const show = (time) => {
    const at = new Date(time.dateTime);
    if (time.dataset.local || isNaN(at)) return;
    const name = zone.formatToParts(at).find((part) => part.type === "timeZoneName").value;
    const text = `${day.format(at)} ${name}`;
    time.dataset.local = "1";
    time.title = text;
    if (time.classList.contains("date")) time.textContent = text;
  };
  const showAll = () => document.querySelectorAll("time[datetime]").forEach(show);
  showAll();
  // Live pages bring new times.
  new MutationObserver(showAll).observe(document.body, { childList: true, subtree: true });
})();
