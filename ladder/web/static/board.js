// Plays the replay of a board game in place: keys, buttons, moves and the clocks lead to a move.
// Without it every one of them is a link that loads the page of that position.
"use strict";

const SECONDS = 1; // for a move at the speed 1
const part = (name) => document.querySelector(name);
let frames; // a promise of all positions, once somebody has asked for one
let timer;

const board = () => part("[data-frames]");
const at = () => Number(board().dataset.at);
const last = () => Number(board().dataset.last);

function load() {
  frames ??= fetch(board().dataset.frames, { credentials: "same-origin" }).then((answer) => {
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.json();
  });
  return frames;
}

/** Show the position after so many moves; what is beyond the ends is brought into range. */
async function go(wanted) {
  const ply = Math.min(Math.max(wanted, 0), last());
  board().dataset.at = ply; // at once: keys may come faster than positions
  let shown;
  try {
    shown = (await load()).frames[ply];
  } catch {
    location.search = `?ply=${ply}`; // as the link would
    return;
  }
  if (at() !== ply) return; // overtaken by the next key
  const picture = new DOMParser().parseFromString(shown.svg, "image/svg+xml").documentElement;
  part(".frame").replaceChildren(document.adoptNode(picture));
  part(".plies .count").textContent = `${ply} / ${last()}`;
  const targets = { first: 0, back: ply - 1, on: ply + 1, last: last() };
  for (const link of document.querySelectorAll(".plies [data-go]")) {
    const target = targets[link.dataset.go];
    const inside = Math.min(Math.max(target, 0), last());
    link.href = `?ply=${inside}`;
    if (inside === ply) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  }
  mark(ply);
  part(".told").textContent = shown.move === null ? `Position ${ply}` : `Move ${ply}: ${shown.move}`;
  remember(ply);
}

function mark(ply) {
  part(".moves [aria-current]")?.removeAttribute("aria-current");
  const move = document.querySelectorAll(".moves a")[ply - 1];
  if (move) {
    move.setAttribute("aria-current", "true");
    const list = move.closest(".moves");
    const [seen, box] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
    if (seen.top < box.top) list.scrollTop -= box.top - seen.top;
    if (seen.bottom > box.bottom) list.scrollTop += seen.bottom - box.bottom;
  }
  const clocks = part(".clocks");
  if (clocks) {
    const x = Number(clocks.dataset.left) + (ply - 1) * Number(clocks.dataset.step);
    for (const end of ["x1", "x2"]) clocks.querySelector(".now").setAttribute(end, x);
  }
}

let remembering;
/** Put the move into the address; browsers refuse addresses that change too fast. */
function remember(ply) {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", `?ply=${ply}`), 150);
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
    timer = setTimeout(step, (1000 * SECONDS) / Number(part("#pace").value));
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
    go(Number(new URL(link.href).searchParams.get("ply")));
    return;
  }
  const clocks = event.target.closest(".clocks");
  if (clocks) {
    setPlaying(false);
    const box = clocks.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * clocks.viewBox.baseVal.width;
    go(Math.round((x - Number(clocks.dataset.left)) / Number(clocks.dataset.step)) + 1);
  }
});

document.addEventListener("keydown", (event) => {
  if (!board() || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const { target } = event;
  // Keys go on meaning what they mean elsewhere: a space on a button presses it.
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

if (board()) {
  part(".player").hidden = false;
  part(".picture").addEventListener("pointerenter", () => load().catch(() => {}), { once: true });
}
