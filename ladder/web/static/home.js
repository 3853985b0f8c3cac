// The front page: it adds finished matches and counts down to the next league.
"use strict";
(() => {
  const make = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  };

  const bots = (match) => {
    const cell = make("td", "", { class: "who" });
    const many = match.seats.length > 2;
    const seats = many ? [...match.seats].sort((a, b) => a.rank - b.rank) : match.seats;
    const winners = seats.filter((seat) => seat.rank === 1).length;
    seats.forEach((seat, i) => {
      if (i) cell.append(many ? ", " : " ", many ? "" : make("span", "v", { class: "vs" }), " ");
      const first = seat.rank === 1 && winners === 1 ? " first" : "";
      const shown = make("span", "", { class: `seat${first}` });
      // As `ladder.values.full_name` does.
      const own = seat.owner && seat.owner !== "house" ? `${seat.owner}/${seat.bot}` : seat.bot;
      shown.append(make("a", own, { href: `/bots/${seat.bot_id}` }));
      if (seat.at_fault) shown.append(" ", make("span", "✗", { class: "fault", title: "at fault" }));
      cell.append(shown);
    });
    return cell;
  };

  const number = (value) => String(Math.round(100 * value) / 100);

  const line = (match) => {
    const row = make("tr", "", { class: "came" });
    const name = make("td");
    name.append(make("a", `#${match.id}`, { href: `/matches/${match.id}` }));
    const card = document.querySelector(`.cards a[href="/games/${CSS.escape(match.game)}"]`);
    const result =
      match.seats.length > 2
        ? `${match.seats.length} seats`
        : match.seats.map((seat) => number(seat.score)).join("–");
    row.append(
      name,
      make("td", card ? card.textContent : match.game, { class: "spare" }),
      bots(match),
      make("td", result, { class: "num" }),
      make("td", match.explanation, { class: "why spare" }),
      make("td", "now", { class: "when" }),
    );
    return row;
  };

  document.addEventListener("live", ({ detail }) => {
    const ticker = document.querySelector("[data-ticker]");
    const rows = ticker && ticker.querySelector("tbody");
    if (detail.kind !== "match" || !rows) return;
    rows.prepend(line(detail));
    while (rows.children.length > ticker.dataset.ticker) rows.lastElementChild.remove();
  });

  const tick = () => {
    const clock = document.querySelector("time[data-countdown]");
    if (!clock) return;
    const at = new Date(clock.dateTime);
    const left = Math.max(0, Math.round((at - Date.now()) / 1000));
    const two = (value) => String(value).padStart(2, "0");
    const hours = Math.floor(left / 3600);
    const days = Math.floor(hours / 24);
    const rest = `${two(hours % 24)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    clock.textContent = days ? `${days} d ${rest}` : rest;
  };
  tick();
  setInterval(tick, 1000);
  document.addEventListener("swapped", tick);
})();
