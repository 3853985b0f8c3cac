// The viewer of tank battles: the film that `playback` plays, and the table beside it.
"use strict";

import { playback } from "./playback.js";
import { paintBattle, paintEnergies } from "./tanks-drawing.js";
import { readReplay } from "./tanks-replay.js";

const PACE = 30; // Robocode's own

playback(async (replay, bytes, root) => {
  const battle = await readReplay(bytes);
  // The recording has seats; the document has the names of the bots.
  const names = battle.names.map((name, seat) => replay.entrants[seat]?.name ?? name);
  const rows = makeTable(root.querySelector(".figures table"), names);
  const chips = makeChips(root.querySelector(".figures"), battle, names);
  let theme;
  return {
    rounds: battle.rounds.map((round) => round.turns),
    pace: PACE,
    width: battle.width,
    height: battle.height,
    label: `The battlefield, ${battle.width} by ${battle.height}, with ${names.join(", ")}`,
    dress: () => (theme = readTheme(root, rows)),
    paint: (context, scale, number, time) => {
      const [round, banner] = [battle.rounds[number], headline(battle, names, number)];
      paintBattle(context, scale, { battle, names, theme, round, banner, time });
    },
    chart: (context, width, height, round) =>
      paintEnergies(context, width, height, battle.rounds[round], theme),
    tell: (round, turn) => {
      fillTable(rows, battle.rounds[round], turn);
      chips.forEach((chip, i) => chip.toggleAttribute("aria-current", i === round));
    },
    verdict: (round, turn) =>
      turn >= battle.rounds[round].decided ? headline(battle, names, round) : "",
  };
});

function headline(battle, names, number) {
  const { over, winners } = battle.rounds[number];
  const round = `round ${number + 1}`;
  if (!over) return `The battle breaks off in ${round}`;
  return winners.length ? `${names[winners[0]]} survives ${round}` : `Nobody survives ${round}`;
}

/** A row per seat; the numbers come with `fillTable`. */
function makeTable(table, names) {
  table.querySelector("thead").innerHTML =
    '<tr><th scope="col">Tank</th><th scope="col" class="num">Energy</th>' +
    '<th scope="col" class="num">Round</th><th scope="col" class="num">Total</th></tr>';
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
    head.append(bar);
    row.append(head);
    const cells = ["energy", "round", "total"].map(() => {
      const cell = row.insertCell();
      cell.className = "num";
      return cell;
    });
    return { row, level, cells };
  });
}

/** A link per round, with the colour of its survivor. */
function makeChips(figures, battle, names) {
  const list = element("ol", "chips");
  figures.append(element("h2", "", "Survivors by round"), list);
  return battle.rounds.map(({ winners }, i) => {
    const chip = element("a", winners.length ? `seat-${winners[0]}` : "");
    chip.href = `#r${i + 1}t1`;
    chip.title = headline(battle, names, i);
    const survivor = winners.length ? names[winners[0]] : "nobody";
    chip.append(element("span", "number", i + 1), element("span", "swatch"));
    chip.append(element("span", "survivor", survivor));
    list.appendChild(document.createElement("li")).append(chip);
    return chip;
  });
}

function element(tag, name, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function fillTable(rows, round, turn) {
  const booked = Math.min(turn, round.decided); // later turns score no points
  rows.forEach(({ row, level, cells }, seat) => {
    const track = round.tracks[seat];
    const energy = track.energy[turn] / 10;
    const score = track.score[booked] / 10;
    const dead = turn >= round.deaths[seat];
    const texts = [dead ? "out" : energy.toFixed(1), score, round.before[seat] + score];
    texts.forEach((text, i) => {
      const shown = typeof text === "number" ? String(Math.round(text)) : text;
      if (cells[i].textContent !== shown) cells[i].textContent = shown;
    });
    level.style.width = `${Math.min(100, energy)}%`;
    row.classList.toggle("out", dead);
  });
}

function readTheme(root, rows) {
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    font: style.fontFamily,
    field: colour("--field"),
    lines: colour("--field-lines"),
    text: colour("--text"),
    faint: colour("--faint"),
    plate: colour("--plate"),
    plateText: colour("--plate-text"),
    hurt: colour("--hurt"),
    rail: colour("--rail"),
    scorch: colour("--scorch"),
    seats: rows.map(({ row }) => getComputedStyle(row).getPropertyValue("--seat").trim()),
  };
}
