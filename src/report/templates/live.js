"use strict";
// Asks every second for the part that lives, and for the page when it shows something new.
// The page is replaced where it stands: what was opened stays open, and nothing jumps.
let version = null;

async function fetched(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.status + " " + path);
  return answer;
}

async function renew() {
  const text = await (await fetched("page")).text();
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const summary = (details) => details.querySelector("summary").textContent;
  const opened = [...document.querySelectorAll("details[open]")].map(summary);
  for (const details of fresh.querySelectorAll("details")) {
    details.open = opened.includes(summary(details));
  }
  document.querySelector("main").replaceWith(fresh);
}

async function look() {
  try {
    const state = await (await fetched("now")).json();
    if (version !== null) {
      if (version !== state.version) await renew();
    }
    version = state.version;
    document.getElementById("now").outerHTML = state.section;
  } catch {
    document.getElementById("now").classList.add("lost");
  }
  setTimeout(look, 1000);
}

look();
