// Draws races. Everything follows from the time, so that a race runs in both directions.
//
// The y axis of the track points up, that of the canvas down.
"use strict";

import { write } from "./brush.js";
import { carAt, OUT } from "./racing-replay.js";

const TRAIL = 40; // frames
const SKID = 0.12; // radians between body and way
const FASTEST = 180; // feet per second, for the colours

/** The part of the plane that is shown. */
export function boundsOf(race) {
  const margin = race.width * 1.5;
  const [xs, ys] = [0, 1].map((axis) => race.path.map((point) => point[axis]));
  const [left, right] = [Math.min(...xs) - margin, Math.max(...xs) + margin];
  const [low, high] = [Math.min(...ys) - margin, Math.max(...ys) + margin];
  // Not longer than twice its height, nor higher than wide, so that it fits beside the table.
  const [wide, tall] = [right - left, high - low];
  const [width, height] = [Math.max(wide, tall), Math.max(tall, wide / 2)];
  return { left: left - (width - wide) / 2, high: high + (height - tall) / 2, width, height };
}

/** The whole track at a time. `scale` is pixels of the canvas per foot. */
export function paintRace(context, scale, { race, bounds, theme, names, time, ghost }) {
  const place = (x, y) => [x - bounds.left, bounds.high - y];
  const pixel = (globalThis.devicePixelRatio || 1) / scale; // feet per pixel of the screen
  context.scale(scale, scale);
  context.lineCap = context.lineJoin = "round";
  context.fillStyle = theme.grass;
  context.fillRect(0, 0, bounds.width, bounds.height);
  paintRoad(context, race, theme, place, pixel);
  const cars = race.tracks.map((track) => carAt(track, time));
  const order = [...cars.keys()].sort((a, b) => cars[b].place - cars[a].place);
  for (const seat of order) paintTrail(context, race.tracks[seat], time, theme, place, pixel);
  if (ghost) paintCar(context, ghost, { place, pixel, rim: theme.ghost });
  for (const seat of order) {
    const colour = cars[seat].state === OUT ? theme.faint : theme.seats[seat];
    paintCar(context, cars[seat], { place, pixel, colour, rim: theme.text });
  }
  for (const seat of order) {
    const [x, y] = place(cars[seat].x, cars[seat].y);
    const label = race.tracks.length > 4 ? String(cars[seat].place + 1) : names[seat];
    const size = 12 * pixel;
    write(context, label, x, y - 10 * pixel, {
      size,
      theme: { ...theme, field: theme.grass },
      width: bounds.width,
    });
  }
}

function paintRoad(context, race, theme, place, pixel) {
  const lap = () => {
    context.beginPath();
    race.path.forEach(([x, y]) => context.lineTo(...place(x, y)));
    context.closePath();
  };
  lap();
  context.lineWidth = race.width + 3 * pixel;
  context.strokeStyle = theme.shoulder;
  context.stroke();
  context.lineWidth = race.width;
  context.strokeStyle = theme.road;
  context.stroke();
}

/** The last seconds of a car: the faster the greener, and dark where it skidded. */
function paintTrail(context, track, time, theme, place, pixel) {
  const last = Math.min(Math.floor(time), track.x.length - 1);
  for (let frame = Math.max(1, last - TRAIL); frame <= last; frame++) {
    if (track.state[frame] === OUT) return;
    const [from, to] = [frame - 1, frame].map((at) => [track.x[at] / 10, track.y[at] / 10]);
    const way = Math.atan2(to[1] - from[1], to[0] - from[0]);
    const body = (track.body[frame] / 65536) * 2 * Math.PI;
    const skids = Math.abs(Math.sin(body - way)) > Math.sin(SKID);
    const share = Math.min(1, track.speed[frame] / 10 / FASTEST);
    context.globalAlpha = 0.15 + (0.75 * (frame - last + TRAIL)) / TRAIL;
    context.strokeStyle = skids ? theme.skid : `hsl(${Math.round(130 * share)} 75% 45%)`;
    context.lineWidth = (skids ? 4 : 2.5) * pixel;
    context.beginPath();
    context.moveTo(...place(...from));
    context.lineTo(...place(...to));
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** A car, at least a few pixels long; without a colour only its outline. */
function paintCar(context, car, { place, pixel, colour, rim }) {
  const long = Math.max(20, 13 * pixel);
  context.save();
  context.translate(...place(car.x, car.y));
  context.rotate(-car.body);
  context.beginPath();
  context.roundRect(-long / 2, -long / 4, long, long / 2, long / 8);
  if (colour) {
    context.fillStyle = colour;
    context.fill();
  }
  context.lineWidth = (colour ? 1 : 2) * pixel;
  context.strokeStyle = rim;
  context.stroke();
  context.restore();
}

/** The speeds of all cars over the race. */
export function paintSpeeds(context, width, height, race, theme) {
  const { tracks, frames } = race;
  const most = tracks.reduce((top, { speed }) => speed.reduce((a, b) => Math.max(a, b), top), 500);
  // The slider's mark is four pixels wide: its middle runs from 2 to width - 2.
  const x = (frame) => 2 + ((width - 4) * frame) / Math.max(1, frames - 1);
  const y = (speed) => height - 3 - ((height - 6) * speed) / most;
  context.clearRect(0, 0, width, height);
  const every = Math.max(1, Math.floor(frames / (2 * width)));
  context.lineWidth = 1.2;
  context.lineJoin = "round";
  tracks.forEach(({ speed }, seat) => {
    context.strokeStyle = theme.seats[seat];
    context.globalAlpha = tracks.length > 4 ? 0.6 : 0.9;
    context.beginPath();
    for (let frame = 0; frame < frames; frame += every) context.lineTo(x(frame), y(speed[frame]));
    context.stroke();
  });
  context.globalAlpha = 1;
}
