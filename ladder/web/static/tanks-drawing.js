// Draws tank battles. Everything follows from the time, so that a battle runs in both directions.
//
// The y axis of the field points up, that of the canvas down.
"use strict";

import { disc, fill, write } from "./brush.js";
import { paintDamage, paintEnds, paintExplosion, paintShot } from "./tanks-effects.js";
import { tankAt } from "./tanks-replay.js";
import { paintSweep, paintTank, paintWreck } from "./tanks-shapes.js";

/** The whole field at a time. `scale` is pixels of the canvas per pixel of the field. */
export function paintBattle(context, scale, scene) {
  const { battle, theme, round, time } = scene;
  const look = { ...scene, context, height: battle.height, fine: fineness(scale) };
  look.tanks = round.tracks.map((track) => tankAt(track, time));
  context.scale(scale, scale);
  context.lineCap = context.lineJoin = "round";
  paintGround(context, battle, theme);
  for (let seat = 0; seat < look.tanks.length; seat++) {
    if (time >= round.deaths[seat]) paintWreck(look, seat);
    else paintSweep(look, seat);
  }
  // Shots start in the middle of a tank: it hides them until they leave the gun.
  for (const shot of round.shots) paintShot(look, shot);
  for (let seat = 0; seat < look.tanks.length; seat++) {
    if (time < round.deaths[seat]) paintTank(look, seat);
  }
  for (const shot of round.shots) paintEnds(look, shot);
  for (let seat = 0; seat < look.tanks.length; seat++) paintExplosion(look, seat);
  for (let seat = 0; seat < look.tanks.length; seat++) {
    if (time < round.deaths[seat]) paintLabel(look, seat);
  }
  for (const shot of round.shots) paintDamage(look, shot);
  if (time >= round.decided) paintBanner(look);
}

/** How much larger than the field text is drawn, so that it can be read on small screens. */
function fineness(scale) {
  const pixels = scale / (globalThis.devicePixelRatio || 1);
  return Math.max(1, 0.82 / pixels);
}

function paintGround(context, { width, height }, theme) {
  context.fillStyle = theme.field;
  context.fillRect(0, 0, width, height);
  context.strokeStyle = theme.lines;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = 100; x < width; x += 100) context.rect(x, 0, 0, height);
  for (let y = 100; y < height; y += 100) context.rect(0, height - y, width, 0);
  context.stroke();
}

/** Name and energy; above the tank, or below it near the upper wall. */
function paintLabel({ context, tanks, names, theme, battle, height, fine }, seat) {
  const { x, y, energy } = tanks[seat];
  const below = height - y < 30 + 22 * fine;
  const size = 12.5 * fine;
  const bar = 36 * Math.min(fine, 1.5);
  const middle = Math.min(Math.max(x, bar / 2 + 4), battle.width - bar / 2 - 4);
  const top = height - y + (below ? 27 : -29 - 3 * fine);
  const [left, thick] = [middle - bar / 2, 4 * Math.min(fine, 1.5)];
  fill(context, theme.rail, () => context.roundRect(left - 1, top - 1, bar + 2, thick + 2, 2));
  const level = bar * Math.min(1, energy / 100);
  fill(context, theme.seats[seat], () => context.roundRect(left, top, level, thick, 1.5));
  write(context, shortened(names[seat]), middle, top + (below ? thick + size : -0.45 * size), {
    size,
    theme,
    width: battle.width,
  });
}

function shortened(name) {
  const letters = [...name];
  return letters.length > 16 ? `${letters.slice(0, 15).join("")}…` : name;
}

function paintBanner({ context, theme, banner, battle, round, time, fine }) {
  const size = 21 * fine;
  context.save();
  context.globalAlpha = Math.min(1, (time - round.decided) / 12 + 0.05);
  context.font = `600 ${size}px ${theme.font}`;
  const width = Math.min(context.measureText(banner).width + 2 * size, battle.width - 16);
  const left = (battle.width - width) / 2;
  const top = battle.height * 0.1;
  fill(context, theme.plate, () => context.roundRect(left, top, width, 2 * size, size));
  context.textAlign = "center";
  context.fillStyle = theme.plateText;
  context.fillText(banner, battle.width / 2, top + 1.35 * size, width - size);
  context.restore();
}

/** The energies of a round as lines over its turns; the time after its end is shaded. */
export function paintEnergies(context, width, height, round, theme) {
  const { tracks, turns, decided, deaths } = round;
  const most = tracks.reduce((top, { energy }) => energy.reduce((a, b) => Math.max(a, b), top), 1000);
  // The slider's mark is four pixels wide: its middle runs from 2 to width - 2.
  const x = (turn) => 2 + ((width - 4) * turn) / Math.max(1, turns - 1);
  const y = (energy) => height - 3 - ((height - 6) * energy) / most;
  context.clearRect(0, 0, width, height);
  context.fillStyle = theme.lines;
  context.fillRect(x(decided), 0, width - x(decided), height);
  const every = Math.max(1, Math.floor(turns / (2 * width)));
  context.lineWidth = 1.6;
  context.lineJoin = "round";
  tracks.forEach(({ energy }, seat) => {
    const last = Math.min(turns - 1, deaths[seat]);
    context.strokeStyle = theme.seats[seat];
    context.beginPath();
    for (let turn = 0; turn < last; turn += every) context.lineTo(x(turn), y(energy[turn]));
    context.lineTo(x(last), y(energy[last]));
    context.stroke();
    if (Number.isFinite(deaths[seat])) disc(context, x(last), y(0), 3, theme.seats[seat]);
  });
}
