// Draws shots, sparks, explosions and the damage of hits.
"use strict";

import { FULL, disc, write } from "./brush.js";
import { HIT_SHOT, HIT_TANK, damage, shotAt } from "./tanks-replay.js";

export const FLAME = ["#fff3c4", "#ffc53d", "#f5813f", "#c2410c"];

const MUZZLE = 27; // pixels from the middle of a tank

// Time that an event stays visible, in turns.
const BURST = 14;
const FIGURE = 34;
const FLASH = 3;
const EXPLOSION = 42;

/** A shot in the air, with a tail as long as its way in two turns. */
export function paintShot({ context, theme, time, height }, shot) {
  const place = shotAt(shot, time);
  if (!place) return;
  const [x, y] = [place.x, height - place.y];
  const [dx, dy] = direction(shot);
  const tail = shot.speed * Math.min(2, time - shot.start);
  const radius = 1.4 + 0.9 * Math.sqrt(shot.power);
  context.strokeStyle = theme.seats[shot.owner];
  context.globalAlpha = 0.45;
  context.lineWidth = radius * 1.1;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - dx * tail, y + dy * tail);
  context.stroke();
  context.globalAlpha = 1;
  disc(context, x, y, radius + 0.9, theme.text);
  disc(context, x, y, radius, theme.seats[shot.owner]);
}

function direction(shot) {
  const length = shot.length || 1;
  return [(shot.endX - shot.x) / length, (shot.endY - shot.y) / length];
}

/** The flash at the gun when a shot leaves it, and the burst where it strikes. */
export function paintEnds(look, shot) {
  const { context, time, height } = look;
  const flash = 1 - (time - shot.start) / FLASH;
  if (flash > 0 && flash <= 1) {
    const [dx, dy] = direction(shot);
    const [x, y] = [shot.x + MUZZLE * dx, height - shot.y - MUZZLE * dy];
    context.globalAlpha = flash;
    disc(context, x, y, 4 + 2 * shot.power * flash, FLAME[1]);
    disc(context, x, y, 2 + shot.power * flash, FLAME[0]);
    context.globalAlpha = 1;
  }
  const age = time - shot.end;
  if (age >= 0 && age < BURST && shot.how >= HIT_TANK) paintBurst(look, shot, age / BURST);
}

/** The end of a shot: sparks off a tank or another shot, dust off a wall. `part` runs to 1. */
function paintBurst({ context, theme, height }, shot, part) {
  const size = { [HIT_TANK]: 9 + 6 * shot.power, [HIT_SHOT]: 12 }[shot.how] ?? 5;
  const colours = shot.how > HIT_SHOT ? [theme.faint, theme.faint] : [FLAME[0], FLAME[2]];
  const [x, y] = [shot.endX, height - shot.endY];
  const reach = size * Math.sqrt(part);
  context.save();
  context.globalAlpha = (1 - part) ** 1.5;
  disc(context, x, y, reach * 0.55, colours[1]);
  disc(context, x, y, reach * 0.32, colours[0]);
  context.strokeStyle = colours[1];
  context.lineWidth = 1.5;
  context.beginPath();
  for (let i = 0; i < 7; i++) {
    const way = FULL * (i / 7 + noise(shot.start, shot.owner));
    context.moveTo(x + reach * 0.7 * Math.cos(way), y + reach * 0.7 * Math.sin(way));
    context.lineTo(x + reach * Math.cos(way), y + reach * Math.sin(way));
  }
  context.stroke();
  context.restore();
}

/** The end of a tank. */
export function paintExplosion({ context, tanks, round, time, height }, seat) {
  const age = time - round.deaths[seat];
  if (!(age >= 0 && age < EXPLOSION)) return;
  const part = age / EXPLOSION;
  const { x, y } = tanks[seat];
  context.save();
  context.translate(x, height - y);
  context.globalAlpha = (1 - part) ** 1.3;
  [...FLAME].reverse().forEach((colour, i) => {
    const radius = (46 - 10 * i) * part ** 0.4 * (1 - 0.25 * i * part);
    for (let puff = 0; puff < 5; puff++) {
      const way = FULL * (puff / 5 + noise(seat, puff + i));
      const off = radius * 0.45;
      disc(context, off * Math.cos(way), off * Math.sin(way), radius * 0.62, colour);
    }
  });
  for (let i = 0; i < 18; i++) {
    const way = FULL * noise(i, seat);
    const far = (30 + 70 * noise(seat, i + 40)) * Math.sqrt(part);
    disc(context, far * Math.cos(way), far * Math.sin(way), 2.6 * (1 - part), FLAME[1 + (i % 3)]);
  }
  context.restore();
}

/** A fixed number from 0 to 1 that looks random. */
function noise(a, b) {
  const value = Math.sin(a * 127.1 + b * 311.7 + 74.7) * 43758.5453;
  return value - Math.floor(value);
}

/** The damage of a hit, rising from the point of impact. */
export function paintDamage({ context, theme, time, height, battle, fine }, shot) {
  const age = time - shot.end;
  if (shot.how !== HIT_TANK || age < 0 || age > FIGURE) return;
  context.globalAlpha = Math.min(1, 2 - (2 * age) / FIGURE);
  const y = Math.max(16 * fine, height - shot.endY - 6 - age * 0.8);
  write(context, `−${+damage(shot.power).toFixed(1)}`, shot.endX + 12, y, {
    size: 12 * fine,
    theme,
    width: battle.width,
    colour: theme.hurt,
  });
  context.globalAlpha = 1;
}
