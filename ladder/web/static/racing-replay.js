// Reads the replay of a race: the inverse of engines/games/racing/recording.py.
"use strict";

import { Trouble } from "./playback.js";

const VERSION = 1;
const COLUMNS = ["x", "y", "body", "speed", "way", "damage", "fuel", "place", "state"];
const CIRCLE = 65536;

export const FINISHED = 1;
export const IN_PITS = 2;
export const OUT = 3;

/** The race: the header's fields, `tracks` by seat, and when each car crossed the line. */
export async function readReplay(bytes) {
  const raw = await inflate(bytes);
  const end = raw.indexOf(10);
  const race = JSON.parse(new TextDecoder().decode(raw.subarray(0, end)));
  if (race.version !== VERSION) {
    throw new Trouble(`This replay has the format ${race.version}. Reload the page and try again.`);
  }
  // Numbers are little-endian, as on every machine with a browser.
  const numbers = new Int32Array(raw.slice(end + 1).buffer);
  race.tracks = race.names.map((_, seat) => readTrack(numbers, seat, race.frames));
  race.crossings = race.tracks.map((track) => crossings(track, race.length));
  race.best = bestLap(race);
  return race;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function readTrack(numbers, seat, frames) {
  const track = {};
  COLUMNS.forEach((name, place) => {
    const start = (seat * COLUMNS.length + place) * frames;
    const column = numbers.subarray(start, start + frames);
    for (let frame = 1; frame < frames; frame++) column[frame] += column[frame - 1];
    track[name] = column;
  });
  return track;
}

/** The times, in frames, at which a car began its laps. */
function crossings({ way }, length) {
  const times = [];
  for (let frame = 1; frame < way.length; frame++) {
    const line = times.length * length;
    if (way[frame - 1] < line && way[frame] >= line) {
      times.push(frame - 1 + (line - way[frame - 1]) / (way[frame] - way[frame - 1]));
    }
  }
  return times;
}

/** The fastest lap of all: its seat, its time, and the frames of its begin and end. */
function bestLap({ lap_times: laps, crossings: lines }) {
  let best = null;
  laps.forEach((times, seat) =>
    times.forEach((time, lap) => {
      const [begin, end] = [lines[seat][lap], lines[seat][lap + 1]];
      if (end !== undefined && (best === null || time < best.time)) best = { seat, time, begin, end };
    }),
  );
  return best;
}

/** A car at a time between two frames; the angle in radians, counterclockwise from east. */
export function carAt(track, time) {
  const frame = Math.max(0, Math.min(Math.floor(time), track.x.length - 1));
  const next = Math.min(frame + 1, track.x.length - 1);
  const part = Math.min(1, Math.max(0, time - frame));
  const mix = (column) => column[frame] + (column[next] - column[frame]) * part;
  const turned = ((track.body[next] - track.body[frame] + 1.5 * CIRCLE) % CIRCLE) - CIRCLE / 2;
  return {
    x: mix(track.x) / 10,
    y: mix(track.y) / 10,
    body: ((track.body[frame] + turned * part) / CIRCLE) * 2 * Math.PI,
    speed: mix(track.speed) / 10,
    way: mix(track.way),
    damage: track.damage[frame],
    fuel: track.fuel[frame] / 10,
    place: track.place[frame],
    state: track.state[frame],
  };
}

/** How many laps a car has begun at a time. */
export function lapAt(race, seat, time) {
  return race.crossings[seat].filter((crossing) => crossing <= time).length;
}

/** How many seconds a car is behind the leader, by when the leader was at its place; or null. */
export function gapAt(race, seat, leader, time) {
  const here = carAt(race.tracks[seat], time).way;
  const { way } = race.tracks[leader];
  let [low, high] = [0, Math.min(Math.floor(time), way.length - 1)];
  if (way[high] <= here) return 0;
  if (way[0] > here) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (way[middle] <= here) low = middle;
    else high = middle;
  }
  const part = (here - way[low]) / Math.max(1, way[high] - way[low]);
  return (time - low - part) * race.seconds;
}
