// The basic strokes of all drawings on a canvas.
"use strict";

export const FULL = 2 * Math.PI;

export function fill(context, colour, shape) {
  context.fillStyle = colour;
  context.beginPath();
  shape();
  context.fill();
}

export function disc(context, x, y, radius, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, radius, 0, FULL);
  context.fill();
}

/** Text with a rim in the colour of the field, within the field. */
export function write(context, text, x, y, { size, theme, width, colour = theme.text, weight = 600 }) {
  context.font = `${weight} ${size}px ${theme.font}`;
  const half = context.measureText(text).width / 2 + 3;
  const middle = Math.min(Math.max(x, half), Math.max(half, width - half));
  context.textAlign = "center";
  context.strokeStyle = theme.field;
  context.lineWidth = size / 4;
  context.strokeText(text, middle, y);
  context.fillStyle = colour;
  context.fillText(text, middle, y);
}
