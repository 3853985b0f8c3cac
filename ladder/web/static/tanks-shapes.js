// Draws one tank: its parts, its radar's sweep, and its wreck.
//
// Headings are clockwise from north, as a canvas turns. A tank is drawn facing north around its
// middle, in a box of 36 by 36.
"use strict";

import { FULL, fill } from "./brush.js";
import { FLAME } from "./tanks-effects.js";
import { HIT_ROBOT, HIT_WALL, sweepAt } from "./tanks-replay.js";

const RADAR_RANGE = 1200;

/** The sector that the radar swept in the last turn. */
export function paintSweep({ context, tanks, round, time, theme, height }, seat) {
  const { x, y, radar, energy } = tanks[seat];
  if (energy <= 0) return;
  const sweep = sweepAt(round.tracks[seat], time);
  const from = radar - Math.PI / 2;
  context.save();
  context.translate(x, height - y);
  context.fillStyle = context.strokeStyle = theme.seats[seat];
  context.globalAlpha = 0.1;
  context.beginPath();
  context.moveTo(0, 0);
  context.arc(0, 0, RADAR_RANGE, from - sweep, from, sweep < 0);
  context.closePath();
  context.fill();
  context.globalAlpha = 0.3;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(RADAR_RANGE * Math.cos(from), RADAR_RANGE * Math.sin(from));
  context.stroke();
  context.restore();
}

export function paintTank({ context, tanks, theme, height, time }, seat) {
  const tank = tanks[seat];
  const colour = theme.seats[seat];
  context.save();
  context.translate(tank.x, height - tank.y);
  paintShadow(context, tank.body);
  context.save();
  context.rotate(tank.body);
  paintTreads(context, colour, tank.way);
  paintHull(context, colour);
  context.restore();
  context.save();
  context.rotate(tank.gun);
  paintGun(context, colour);
  context.restore();
  context.rotate(tank.radar);
  paintRadar(context);
  context.restore();
  if (tank.energy <= 0) ring(context, tank, height, 21, theme.faint, [3, 4]);
  if (tank.state === HIT_WALL || tank.state === HIT_ROBOT) {
    ring(context, tank, height, 23 + 2 * (time % 1), FLAME[1], []);
  }
}

/** Light comes from the upper left, however the tank stands. */
function paintShadow(context, turned) {
  context.save();
  context.translate(2.5, 3.5);
  context.rotate(turned);
  fill(context, "rgb(0 0 0 / 16%)", () => context.roundRect(-18, -18, 36, 36, 4));
  context.restore();
}

function ring(context, { x, y }, height, radius, colour, dash) {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.setLineDash(dash);
  context.beginPath();
  context.arc(x, height - y, radius, 0, FULL);
  context.stroke();
  context.restore();
}

/** Two chains whose links move with the way driven. */
function paintTreads(context, colour, way) {
  for (const left of [-18, 10.5]) {
    fill(context, colour, () => context.roundRect(left, -18, 7.5, 36, 2.5));
    fill(context, "rgb(0 0 0 / 55%)", () => context.roundRect(left, -18, 7.5, 36, 2.5));
    context.strokeStyle = "rgb(255 255 255 / 22%)";
    context.lineWidth = 1.2;
    context.beginPath();
    const shift = ((way % 4.5) + 4.5) % 4.5;
    for (let y = 17 - shift; y > -17; y -= 4.5) {
      context.moveTo(left + 1.2, y);
      context.lineTo(left + 6.3, y);
    }
    context.stroke();
  }
}

function paintHull(context, colour) {
  const hull = () => {
    context.moveTo(-12, 16);
    context.lineTo(-12, -11);
    context.lineTo(-8, -16.5);
    context.lineTo(8, -16.5);
    context.lineTo(12, -11);
    context.lineTo(12, 16);
    context.closePath();
  };
  fill(context, colour, hull);
  context.strokeStyle = "rgb(0 0 0 / 35%)";
  context.lineWidth = 1;
  context.stroke();
  // The slope of the front, and the grille over the engine.
  fill(context, "rgb(255 255 255 / 28%)", () => {
    context.moveTo(-12, -11);
    context.lineTo(-8, -16.5);
    context.lineTo(8, -16.5);
    context.lineTo(12, -11);
    context.closePath();
  });
  fill(context, "rgb(0 0 0 / 22%)", () => {
    for (const y of [10, 12.6]) context.rect(-7, y, 14, 1.3);
  });
}

function paintGun(context, colour) {
  fill(context, colour, () => context.roundRect(-2.3, -26, 4.6, 22, 1.2));
  fill(context, "rgb(0 0 0 / 45%)", () => {
    context.roundRect(-2.3, -26, 4.6, 22, 1.2);
    context.roundRect(-3.1, -27, 6.2, 5, 1.2);
  });
  fill(context, colour, () => context.roundRect(-8, -8, 16, 17, 5.5));
  fill(context, "rgb(255 255 255 / 22%)", () => context.roundRect(-8, -8, 16, 17, 5.5));
  context.strokeStyle = "rgb(0 0 0 / 35%)";
  context.lineWidth = 1;
  context.stroke();
}

/** A dish that looks forward. */
function paintRadar(context) {
  context.strokeStyle = "rgb(0 0 0 / 65%)";
  context.lineWidth = 2.4;
  context.beginPath();
  context.arc(0, -5.2, 6, Math.PI * 0.14, Math.PI * 0.86);
  context.stroke();
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(0, 0.5);
  context.lineTo(0, -4);
  context.stroke();
}

export function paintWreck({ context, tanks, theme, height }, seat) {
  const { x, y, body, gun } = tanks[seat];
  context.save();
  context.translate(x, height - y);
  context.fillStyle = theme.scorch;
  context.globalAlpha = 0.16;
  for (const [dx, dy, radius] of [[-3, 2, 21], [9, -8, 13], [-10, -9, 11], [8, 11, 12]]) {
    context.beginPath();
    context.arc(dx, dy, radius, 0, FULL);
    context.fill();
  }
  context.globalAlpha = 0.6;
  context.rotate(body);
  fill(context, theme.scorch, () => {
    context.roundRect(-18, -18, 7.5, 33, 2.5);
    context.roundRect(10.5, -14, 7.5, 32, 2.5);
    context.roundRect(-11, -15, 20, 30, 4);
  });
  fill(context, theme.seats[seat], () => context.roundRect(-8, 8, 14, 4, 1));
  context.rotate(gun - body + 0.6);
  fill(context, theme.scorch, () => context.roundRect(-2, -25, 4, 19, 1));
  context.restore();
}
