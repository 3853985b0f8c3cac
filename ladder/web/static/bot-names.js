// A field that takes several names completes each of them: the browser alone completes the first.
"use strict";
(() => {
  const field = document.querySelector("input[data-several]");
  const list = field && document.getElementById(field.getAttribute("list"));
  if (!list) return;
  const names = [...list.options].map(({ value, text }) => ({ value, text }));
  const own = list.cloneNode();
  own.id = `${list.id}-of-${field.id}`; // other fields keep the plain names
  list.after(own);
  field.setAttribute("list", own.id);

  const offer = () => {
    const before = field.value.replace(/[^,]*$/, "");
    const taken = before.split(",").map((name) => name.trim());
    const start = before && `${before.trim()} `;
    own.replaceChildren(
      ...names
        .filter(({ value }) => !taken.includes(value))
        .map(({ value, text }) => new Option(text, start + value)),
    );
  };
  field.addEventListener("input", offer);
  offer();
})();
