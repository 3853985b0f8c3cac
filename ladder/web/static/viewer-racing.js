// The viewer of races: the film that `playback` plays, the table beside it, and the laps.
"use strict";

import { playback } from "./playback.js";
import { boundsOf, paintRace, paintSpeeds } from "./racing-drawing.js";
import { carAt, FINISHED, gapAt, IN_PITS, lapAt, OUT, readReplay } from "./racing-replay.js";

const STATES = { [FINISHED]: "finished", [IN_PITS]: "pits", [OUT]: "out" };

playback(async (replay, bytes, root) => {
  const race = await readReplay(bytes);
  // The recording has seats; the document has the names of the bots.
  const names = race.names.map((name, seat) => replay.entrants[seat]?.name ?? name);
  const bounds = boundsOf(race);
  const rows = makeTable(root.querySelector(".figures table"), names);
  makeLaps(root.querySelector(".figures"), race, names);
  let theme;
  return {
    rounds: race.frames ? [race.frames] : [],
    pace: 1 / race.seconds,
    width: bounds.width,
    height: bounds.height,
    label: `The track ${race.track} from above, with ${names.join(", ")}`,
    dress: () => (theme = readTheme(root, rows)),
    paint: (context, scale, _, time) => {
      const ghost = ghostAt(race, time);
      paintRace(context, scale, { race, bounds, theme, names, time, ghost });
    },
    chart: (context, width, height) => paintSpeeds(context, width, height, race, theme),
    tell: (_, frame) => fillTable(rows, race, frame),
    verdict: (_, frame) => (frame >= race.frames - 1 ? `${names[leaderAt(race, frame)]} is first` : ""),
  };
});

function leaderAt(race, time) {
  const frame = Math.min(Math.floor(time), race.frames - 1);
  return race.tracks.findIndex(({ place }) => place[frame] === 0);
}

/** In time trials, the best lap of all, begun together with the lap of the first car. */
function ghostAt(race, time) {
  const leader = leaderAt(race, time);
  const lap = lapAt(race, leader, time);
  if (!race.alone || !race.best || lap === 0) return null;
  const at = race.best.begin + time - race.crossings[leader][lap - 1];
  return at <= race.best.end ? carAt(race.tracks[race.best.seat], at) : null;
}

/** A row per seat; the numbers come with `fillTable`. */
function makeTable(table, names) {
  table.querySelector("thead").innerHTML =
    '<tr><th scope="col">Driver</th><th scope="col" class="num">Lap</th>' +
    '<th scope="col" class="num">Speed</th><th scope="col" class="num">Gap</th></tr>';
  const body = table.querySelector("tbody");
  return names.map((name, seat) => {
    const row = body.insertRow();
    row.className = `seat-${seat}`;
    const head = document.createElement("th");
    head.scope = "row";
    const title = head.appendChild(element("span", "who-is"));
    title.append(element("span", "swatch"), element("span", "called", name));
    const bar = element("span", "bar");
    const level = bar.appendChild(element("span", "level"));
    bar.title = "Fuel";
    head.append(bar);
    row.append(head);
    const cells = ["lap", "speed", "gap"].map(() => {
      const cell = row.insertCell();
      cell.className = "num";
      return cell;
    });
    return { body, row, level, cells };
  });
}

function fillTable(rows, race, frame) {
  const leader = leaderAt(race, frame);
  rows.forEach(({ row, level, cells }, seat) => {
    const car = carAt(race.tracks[seat], frame);
    const gap = gapAt(race, seat, leader, frame);
    const behind = gap === null ? "" : gap > 0 ? `+${gap.toFixed(1)}` : "";
    const damaged = car.damage > 0 ? `damage ${car.damage}` : "no damage";
    const texts = [lapAt(race, seat, frame), car.speed.toFixed(0), STATES[car.state] ?? behind];
    texts.forEach((text, i) => {
      const shown = String(text);
      if (cells[i].textContent !== shown) cells[i].textContent = shown;
    });
    level.style.width = `${Math.min(100, (car.fuel / 150) * 100)}%`;
    row.title = `${damaged}, ${car.fuel.toFixed(0)} pounds of fuel`;
    row.classList.toggle("out", car.state === OUT);
  });
  // The table follows the order of the race.
  const order = rows.map((_, seat) => seat).sort((a, b) => placeOf(race, a, frame) - placeOf(race, b, frame));
  const [{ body }] = rows;
  order.forEach((seat, place) => {
    if (body.rows[place] !== rows[seat].row) body.insertBefore(rows[seat].row, body.rows[place] ?? null);
  });
}

function placeOf(race, seat, frame) {
  return race.tracks[seat].place[frame];
}

/** The lap times, each a link to its begin; the best one is marked. */
function makeLaps(figures, race, names) {
  const list = element("ol", "laps");
  race.lap_times.forEach((times, seat) => {
    const line = list.appendChild(element("li", `seat-${seat}`));
    line.append(element("span", "swatch"), element("span", "called", `${names[seat]} `));
    times.forEach((time, lap) => {
      const link = element("a", "", time.toFixed(2));
      link.href = `#r1t${Math.max(1, Math.ceil(race.crossings[seat][lap] ?? 0) + 1)}`;
      link.title = `Lap ${lap + 1} of ${names[seat]}`;
      if (race.best?.seat === seat && race.best.time === time) link.classList.add("best");
      line.append(link, " ");
    });
    if (times.length === 0) line.append("no lap");
  });
  figures.append(element("h2", "", "Laps in seconds"), list);
}

function element(tag, name, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function readTheme(root, rows) {
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    font: style.fontFamily,
    text: colour("--text"),
    faint: colour("--faint"),
    grass: colour("--grass"),
    road: colour("--road"),
    shoulder: colour("--shoulder"),
    skid: colour("--skid"),
    ghost: colour("--ghost"),
    seats: rows.map(({ row }) => getComputedStyle(row).getPropertyValue("--seat").trim()),
  };
}
