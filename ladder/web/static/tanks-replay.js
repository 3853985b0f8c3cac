// Reads the replay of a tank battle: the inverse of engines/games/tanks/recording.py.
"use strict";

import { Trouble } from "./playback.js";

const VERSION = 1;
const COLUMNS = ["x", "y", "body", "gun", "radar", "energy", "state", "score"];
const SHOT = ["owner", "power", "start", "x", "y", "end", "endX", "endY", "how"];
const CIRCLE = 65536;

// States of a tank (`state`) and ends of a shot (`how`); below HIT_TANK it is still flying.
export const HIT_WALL = 1;
export const HIT_ROBOT = 2;
export const DEAD = 3;
export const HIT_TANK = 2;
export const HIT_SHOT = 3;

/** The battle: names, width, height, and rounds of tracks (by seat) and shots, and derived facts. */
export async function readReplay(bytes) {
  const raw = await inflate(bytes);
  const end = raw.indexOf(10);
  const header = JSON.parse(new TextDecoder().decode(raw.subarray(0, end)));
  if (header.version !== VERSION) {
    throw new Trouble(`This replay has the format ${header.version}. Reload the page and try again.`);
  }
  // Numbers are little-endian, as on every machine with a browser.
  const numbers = new Int32Array(raw.slice(end + 1).buffer);
  let place = 0;
  const take = (count) => numbers.subarray(place, (place += count));
  const seats = header.names.length;
  const totals = new Array(seats).fill(0);
  const rounds = [];
  for (let i = 0; i < header.rounds; i++) {
    const [turns, count] = take(2);
    const tracks = Array.from({ length: seats }, () => readTrack(take, turns));
    const round = { turns, tracks, shots: readShots(take, count), before: [...totals] };
    rounds.push(settle(round));
    tracks.forEach((track, seat) => (totals[seat] += track.score[round.decided] / 10));
  }
  return { names: header.names, width: header.width, height: header.height, rounds };
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Columns of one tank, a number per turn; `way` is the distance driven so far. */
function readTrack(take, turns) {
  const track = {};
  for (const name of COLUMNS) {
    const column = take(turns);
    for (let turn = 1; turn < turns; turn++) column[turn] += column[turn - 1];
    track[name] = column;
  }
  track.way = new Float32Array(turns);
  for (let turn = 1; turn < turns; turn++) {
    const heading = (track.body[turn] / CIRCLE) * 2 * Math.PI;
    const dx = (track.x[turn] - track.x[turn - 1]) / 10;
    const dy = (track.y[turn] - track.y[turn - 1]) / 10;
    track.way[turn] = track.way[turn - 1] + dx * Math.sin(heading) + dy * Math.cos(heading);
  }
  return track;
}

function readShots(take, count) {
  const columns = SHOT.map(() => take(count));
  return Array.from({ length: count }, (_, i) => {
    const shot = Object.fromEntries(SHOT.map((name, column) => [name, columns[column][i]]));
    for (const name of ["x", "y", "endX", "endY"]) shot[name] /= 10;
    shot.power /= 100;
    // The recording counts turns from 1; here the first is 0, as in the columns.
    shot.start -= 1;
    shot.end -= 1;
    shot.speed = 20 - 3 * shot.power;
    shot.length = Math.hypot(shot.endX - shot.x, shot.endY - shot.y);
    return shot;
  });
}

/** Add derived facts: the turn of each death, and the turn that decided the round. */
function settle(round) {
  round.deaths = round.tracks.map((track) => {
    const turn = track.state.indexOf(DEAD);
    return turn < 0 ? Infinity : turn;
  });
  const ends = [...round.deaths].sort((a, b) => a - b);
  // A fault may break a battle off; then the round has no winner.
  const decided = ends[ends.length - 2];
  round.over = Number.isFinite(decided);
  round.decided = round.over ? decided : round.turns - 1;
  round.winners = round.deaths.flatMap((turn, seat) => (turn > round.decided ? [seat] : []));
  return round;
}

/** A tank at a time between two turns. Angles in radians, clockwise from north. */
export function tankAt(track, time) {
  const turn = Math.min(Math.floor(time), track.x.length - 1);
  const next = Math.min(turn + 1, track.x.length - 1);
  const part = time - turn;
  const mix = (column) => column[turn] + (column[next] - column[turn]) * part;
  return {
    x: mix(track.x) / 10,
    y: mix(track.y) / 10,
    way: mix(track.way),
    body: angle(track.body, turn, next, part),
    gun: angle(track.gun, turn, next, part),
    radar: angle(track.radar, turn, next, part),
    energy: track.energy[turn] / 10,
    state: track.state[turn],
  };
}

/** The shorter way round; no part of a tank turns by half a circle in one turn. */
function angle(column, turn, next, part) {
  const turned = ((column[next] - column[turn] + 1.5 * CIRCLE) % CIRCLE) - CIRCLE / 2;
  return ((column[turn] + turned * part) / CIRCLE) * 2 * Math.PI;
}

/** The angle of the radar's rotation in the turn that ends at `time`, in radians. */
export function sweepAt(track, time) {
  const now = tankAt(track, time).radar;
  const before = tankAt(track, Math.max(0, time - 1)).radar;
  const full = 2 * Math.PI;
  return ((((now - before + Math.PI) % full) + full) % full) - Math.PI;
}

/** The position of a shot at a time, or null when it is not in the air. */
export function shotAt(shot, time) {
  const flown = shot.speed * (time - shot.start);
  const over = shot.how >= HIT_TANK;
  if (time < shot.start || (over && (time >= shot.end || flown > shot.length))) return null;
  const part = shot.length > 0 ? Math.min(1, flown / shot.length) : 0;
  return { x: shot.x + (shot.endX - shot.x) * part, y: shot.y + (shot.endY - shot.y) * part };
}

/** The damage of a hit. */
export function damage(power) {
  return 4 * power + Math.max(0, 2 * (power - 1));
}
