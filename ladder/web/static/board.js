// Plays a replay in place, picture by picture: keys, buttons, the slider, moves and the clocks lead
// to a picture. Without it every one of them is a link that loads the page of that picture.
"use strict";

const SECONDS = { position: 1, step: 0.5, frame: 0.1 }; // for a picture at the speed 1
const CHUNK = 100; // pictures that are fetched at once
const part = (name) => document.querySelector(name);
const parts = (name) => document.querySelectorAll(name);
const chunks = new Map(); // by address: promises of pictures by number and seat
let timer;

const board = () => part("[data-frames]");
const at = () => Number(board().dataset.at);
const last = () => Number(board().dataset.last);
const within = (number) => Math.min(Math.max(number, 0), last());

/** The address of the pictures around a number. A page that was saved has all of them in itself. */
function addressOf(number) {
  const { frames } = board().dataset;
  if (frames.startsWith("data:")) return frames;
  const address = new URL(frames, location.href);
  address.searchParams.set("first", number - (number % CHUNK));
  address.searchParams.set("count", CHUNK);
  return address.href;
}

/** The pictures around a number; kept once fetched. */
function load(number) {
  const address = addressOf(number);
  if (!chunks.has(address)) {
    const chunk = fetch(address, { credentials: "same-origin" }).then(async (answer) => {
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const { frames } = await answer.json();
      return new Map(frames.map((frame) => [key(frame.number, frame.seat), frame]));
    });
    chunk.catch(() => chunks.delete(address)); // the next try may find the server again
    chunks.set(address, chunk);
  }
  return chunks.get(address);
}

/** Where several pictures stand side by side they are told apart by their seats. */
const key = (number, seat) => (part(".frame[data-seat]") ? `${number} ${seat}` : `${number}`);

/** A place for pictures, and the one that it shows at a number: solutions end early. */
function wanted(place, number) {
  return Math.min(number, Number(place.dataset.last ?? last()));
}

/** Show the picture with a number; a number beyond the ends means the first or the last. */
async function go(asked) {
  const number = within(asked);
  const { query, noun } = board().dataset;
  board().dataset.at = number; // at once: keys may come faster than pictures
  const places = [...parts("[data-frames] .frame")];
  let shown;
  try {
    const found = await Promise.all(places.map((place) => load(wanted(place, number))));
    shown = places.map((place, i) => found[i].get(key(wanted(place, number), place.dataset.seat)));
    if (shown.includes(undefined)) throw new Error("a picture is missing");
  } catch {
    location.search = `${query}${number}`; // as the link would
    return;
  }
  if (at() !== number) return; // overtaken by the next key
  if (number + CHUNK / 2 <= last()) load(number + CHUNK / 2).catch(() => {}); // ahead of time
  places.forEach((place, i) => {
    const picture = new DOMParser().parseFromString(shown[i].svg, "image/svg+xml").documentElement;
    place.replaceChildren(document.adoptNode(picture));
  });
  part(".plies .count").textContent = `${number} / ${last()}`;
  const targets = { first: 0, back: number - 1, on: number + 1, last: last() };
  for (const link of parts(".plies [data-go]")) {
    const inside = within(targets[link.dataset.go]);
    link.href = `${query}${inside}`;
    if (inside === number) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  }
  part(".scrub").value = number;
  mark(number);
  const moves = shown.filter((frame) => frame.number === number && frame.move !== null);
  const title = noun[0].toUpperCase() + noun.slice(1);
  part(".told").textContent = moves.length
    ? `${noun === "position" ? "Move" : title} ${number}: ${moves.map((f) => f.move).join(", ")}`
    : `${title} ${number}`;
  remember(number);
}

function mark(number) {
  for (const move of parts(".moves [aria-current]")) move.removeAttribute("aria-current");
  for (const list of parts(".moves")) {
    const move = list.querySelectorAll("a")[number - 1];
    if (!move) continue;
    move.setAttribute("aria-current", "true");
    const [seen, box] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
    if (seen.top < box.top) list.scrollTop -= box.top - seen.top;
    if (seen.bottom > box.bottom) list.scrollTop += seen.bottom - box.bottom;
  }
  for (const chart of parts(".clocks, .course")) {
    const x = Number(chart.dataset.left) + (number - 1) * Number(chart.dataset.step);
    for (const end of ["x1", "x2"]) chart.querySelector(".now").setAttribute(end, x);
  }
}

let remembering;
/** Put the picture into the address; browsers refuse addresses that change too fast. */
function remember(number) {
  clearTimeout(remembering);
  const address = `${board().dataset.query}${number}`;
  remembering = setTimeout(() => history.replaceState(null, "", address), 150);
}

function setPlaying(playing) {
  const button = part(".player .play");
  if (!button) return;
  button.setAttribute("aria-pressed", String(playing));
  button.textContent = playing ? "Pause" : "Play";
  clearTimeout(timer);
  timer = undefined;
  if (!playing) return;
  const step = async () => {
    await go(at() + 1);
    if (timer === undefined) return;
    if (at() >= last()) return setPlaying(false);
    const seconds = SECONDS[board().dataset.noun] / Number(part("#pace").value);
    timer = setTimeout(step, 1000 * seconds);
  };
  timer = setTimeout(step, 0);
}

async function toggle() {
  if (timer !== undefined) return setPlaying(false);
  if (at() >= last()) await go(0);
  setPlaying(true);
}

document.addEventListener("click", (event) => {
  if (!board() || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest(".player .play")) return toggle();
  const link = event.target.closest(".plies a, .moves a");
  if (link) {
    event.preventDefault();
    setPlaying(false);
    go(Number(/\d+$/.exec(link.href)));
    return;
  }
  const chart = event.target.closest(".clocks, .course");
  if (chart) {
    setPlaying(false);
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    go(Math.round((x - Number(chart.dataset.left)) / Number(chart.dataset.step)) + 1);
  }
});

document.addEventListener("input", (event) => {
  if (!event.target.matches(".scrub")) return;
  setPlaying(false);
  go(Number(event.target.value));
});

document.addEventListener("keydown", (event) => {
  if (!board() || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const { target } = event;
  // Keys keep their usual meaning elsewhere: Space on a button presses it.
  if (target.matches("input, select, textarea, pre")) return;
  const actions = {
    ArrowLeft: () => go(at() - 1),
    ArrowRight: () => go(at() + 1),
    Home: () => go(0),
    End: () => go(last()),
  };
  if (event.key === " ") {
    if (target.matches("button, a, summary")) return;
    event.preventDefault();
    toggle();
  } else if (actions[event.key]) {
    event.preventDefault();
    setPlaying(false);
    actions[event.key]();
  }
});

document.addEventListener("swapped", () => setPlaying(false)); // another instance is shown

if (board()) {
  part(".player").hidden = false;
  part(".picture").addEventListener("pointerenter", () => load(at()).catch(() => {}), { once: true });
}
