// Plays the replay of a simulation: loads it, keeps the time, and answers the controls.
//
// It knows no game. A viewer calls `playback` with a function that makes a film out of
// a replay; a film has
//   rounds        an array with the number of turns of each round
//   pace          turns per second at the speed 1
//   width, height of the field, in its own units
//   label         one sentence that describes the picture
//   dress(root)   to read its colours, at the start and when the theme changes
//   paint(context, scale, round, time)         the field; `time` is a turn counted from 0, or between
//   chart(context, width, height, round)       the course of a round, behind the slider
//   tell(round, turn)                          the numbers beside the field
//   verdict(round, turn)                       the end of the round in words, for screen readers
"use strict";

const LONG_STEP = 30;
const MOMENT = /^#r(\d{1,6})t(\d{1,9})$/;

/** Run the viewer of this page; `open(document, bytes, root)` makes the film. */
export async function playback(open) {
  const root = document.querySelector("[data-replay]");
  const say = (text) => {
    const note = root.querySelector(".note");
    note.textContent = text;
    note.hidden = text === "";
  };
  root.querySelector(".fallback").hidden = true;
  root.querySelector(".again").onclick = () => location.reload();
  say("Loading the replay …");
  try {
    const replay = await load(root.dataset.replay);
    const film = await open(replay, fromBase64(replay.data ?? ""), root);
    say("");
    if (film.rounds.length === 0) {
      say("No turn was played, so there is nothing to watch; the verdict above says why.");
    } else {
      root.querySelector(".theatre").hidden = false;
      new Player(root, film).begin();
    }
  } catch (error) {
    say(error instanceof Trouble ? error.message : `This replay cannot be shown: ${error.message}.`);
    root.querySelector(".again").hidden = false;
  }
}

/** A message to the reader. */
export class Trouble extends Error {}

async function load(address) {
  let answer;
  try {
    answer = await fetch(address, { credentials: "same-origin" });
  } catch {
    throw new Trouble("The replay could not be fetched. Check your connection and try again.");
  }
  if (answer.status === 404) {
    throw new Trouble("The server has lost the replay of this match. The result stands.");
  }
  if (!answer.ok) throw new Trouble(`The server answered ${answer.status}. Try again in a while.`);
  return answer.json();
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

class Player {
  constructor(root, film) {
    const part = (name) => root.querySelector(`.${name}`);
    this.root = root;
    this.film = film;
    this.field = part("field");
    this.chart = part("chart");
    this.slider = part("slider");
    this.clock = part("clock");
    this.link = part("moment");
    this.play = part("play");
    this.rounds = part("rounds");
    this.speeds = part("speeds");
    this.verdict = part("verdict-of-round");
    this.round = 0;
    this.time = 0;
    this.playing = false;
  }

  begin() {
    const { film, field } = this;
    film.rounds.forEach((_, i) => this.rounds.add(new Option(`${i + 1} of ${film.rounds.length}`, i)));
    this.rounds.parentElement.hidden = film.rounds.length < 2;
    field.setAttribute("aria-label", film.label);
    field.style.aspectRatio = `${film.width} / ${film.height}`;
    // Leave room for the head of the page and the controls.
    field.style.maxWidth = `calc(max(20rem, 100vh - 19rem) * ${film.width / film.height})`;
    this.listen();
    film.dress(this.root);
    const asked = momentOf(location.hash);
    this.seek(...(asked ?? [0, 0]));
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!asked && !calm) this.setPlaying(true);
  }

  listen() {
    const { root, slider, rounds, speeds } = this;
    this.play.onclick = () => this.toggle();
    root.querySelector(".back").onclick = () => this.step(-1);
    root.querySelector(".on").onclick = () => this.step(1);
    slider.oninput = () => this.seek(this.round, Number(slider.value) - 1, true);
    rounds.onchange = () => this.seek(Number(rounds.value), 0, true);
    this.speed = Number(speeds.value);
    speeds.onchange = () => (this.speed = Number(speeds.value));
    this.field.onclick = () => this.toggle();
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => {
      const asked = momentOf(location.hash);
      if (asked) this.seek(...asked);
    });
    root.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (!link) return;
      event.preventDefault(); // following the link would do nothing when the address is the same
      history.replaceState(null, "", link.hash);
      this.seek(...momentOf(link.hash));
    });
    const redress = () => {
      this.film.dress(root);
      this.show(true);
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redress);
    // Also called once at the start; a change of zoom changes the size in pixels, too.
    const sizes = new ResizeObserver(() => this.show(true));
    sizes.observe(this.field);
    sizes.observe(this.chart);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { target } = event;
    const onField = target === this.field;
    const here = target === document.body || this.root.contains(target);
    const far = event.shiftKey ? LONG_STEP : 1;
    const everywhere = {
      ArrowLeft: () => this.step(-far),
      ArrowRight: () => this.step(far),
    };
    const onTheField = {
      ArrowUp: () => this.changeSpeed(1),
      ArrowDown: () => this.changeSpeed(-1),
      PageUp: () => this.seek(this.round - 1, 0, true),
      PageDown: () => this.seek(this.round + 1, 0, true),
      Home: () => this.seek(this.round, 0, true),
      End: () => this.seek(this.round, Infinity, true),
    };
    // Keys keep their usual meaning elsewhere: Space on a button presses it.
    if (!here || target.matches("select")) return;
    if (!target.matches("button, a")) everywhere[" "] = () => this.toggle();
    const action = everywhere[event.key] ?? (onField ? onTheField[event.key] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  }

  changeSpeed(by) {
    const { speeds } = this;
    speeds.selectedIndex = clamp(speeds.selectedIndex + by, 0, speeds.length - 1);
    this.speed = Number(speeds.value);
  }

  step(by) {
    this.setPlaying(false);
    // Between two turns a step leads to the nearer end of the current turn.
    this.seek(this.round, by > 0 ? Math.floor(this.time) + by : Math.ceil(this.time) + by, true);
  }

  toggle() {
    if (!this.playing && this.atEnd()) this.seek(0, 0);
    this.setPlaying(!this.playing);
  }

  atEnd() {
    return this.round === this.film.rounds.length - 1 && this.time >= this.lastTurn();
  }

  lastTurn() {
    return this.film.rounds[this.round] - 1;
  }

  setPlaying(playing) {
    if (this.playing === playing) return;
    this.playing = playing;
    this.root.classList.toggle("playing", playing);
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    if (playing) {
      this.seen = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    } else {
      this.remember();
    }
  }

  tick(now) {
    if (!this.playing) return;
    // A hidden tab continues at the same moment.
    const seconds = clamp((now - this.seen) / 1000, 0, 0.1);
    this.seen = now;
    this.time += seconds * this.film.pace * this.speed;
    if (this.time < this.lastTurn()) this.show();
    else if (this.round + 1 < this.film.rounds.length) this.seek(this.round + 1, 0);
    else {
      this.seek(this.round, Infinity);
      this.setPlaying(false);
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  /** Go to a turn, counted from 0; a turn beyond the ends is moved into range. */
  seek(round, time, byHand = false) {
    const before = this.round;
    this.round = clamp(round, 0, this.film.rounds.length - 1);
    this.time = clamp(time, 0, this.lastTurn());
    this.show(this.round !== before);
    if (byHand && !this.playing) this.remember();
  }

  /** Put the moment into the address, for sharing and for reloads. */
  remember() {
    clearTimeout(this.remembering);
    // Browsers refuse addresses that change as fast as a dragged slider.
    this.remembering = setTimeout(() => history.replaceState(null, "", this.moment()), 250);
  }

  moment() {
    return `#r${this.round + 1}t${Math.floor(this.time) + 1}`;
  }

  show(all = false) {
    const { film, round, time, slider, rounds } = this;
    const turn = Math.floor(time);
    const turns = film.rounds[round];
    if (all || slider.max !== String(turns)) {
      slider.max = String(turns);
      rounds.value = String(round);
      this.paintChart();
      this.told = undefined;
    }
    this.paintField();
    if (turn === this.told) return;
    this.told = turn;
    slider.value = String(turn + 1);
    slider.setAttribute("aria-valuetext", `turn ${turn + 1} of ${turns}`);
    this.clock.textContent = `Turn ${turn + 1} / ${turns}`;
    this.link.setAttribute("href", this.moment());
    film.tell(round, turn);
    const verdict = film.verdict(round, turn);
    if (this.verdict.textContent !== verdict) this.verdict.textContent = verdict;
  }

  paintField() {
    const { field, film } = this;
    const context = sized(field);
    context.setTransform(1, 0, 0, 1, 0, 0);
    film.paint(context, field.width / film.width, this.round, this.time);
  }

  paintChart() {
    const { chart, film } = this;
    const context = sized(chart);
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    film.chart(context, chart.width / ratio, chart.height / ratio, this.round);
  }
}

/** Round and turn, counted from 0, of an address such as #r3t120; null for any other. */
function momentOf(hash) {
  const found = MOMENT.exec(hash);
  return found && [Number(found[1]) - 1, Number(found[2]) - 1];
}

/** The context of a canvas with as many pixels as the screen has there. */
function sized(canvas) {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return canvas.getContext("2d");
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
