// What a browser sees of `oplus watch` while a run goes on, ends and begins anew: a line for each
// thing, in this order, or an error. Started by tests/cli/watch.rs, which begins and ends the runs.
//
// Usage: node watch.mjs URL

import { chromium } from "playwright-core";

const TIMEOUT = 120_000;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
// Failed requests are reported too, and one is to fail: only what the script throws counts.
page.on("pageerror", (error) => {
  console.error(error);
  process.exit(1);
});

const sees = async (what, isThere, argument) => {
  await page.waitForFunction(isThere, argument, { timeout: TIMEOUT });
  console.log(what);
};

/** Points of the loss curves. */
const points = () =>
  [...document.querySelectorAll("svg[aria-label='Loss by epoch'] polyline, svg polyline")]
    .map((line) => line.getAttribute("points").trim().split(/\s+/).length)
    .reduce((sum, count) => sum + count, 0);

await page.goto(process.argv[2]);
await page.addScriptTag({ content: `window.points = ${points}` });
await sees("a curve", () => window.points() > 0 && document.querySelector("#now .doing"));
await page.evaluate(() => document.querySelector("details").setAttribute("open", ""));
const before = await page.evaluate(() => window.points());
await sees(
  "a longer curve, and what was opened is open",
  (before) => window.points() > before && document.querySelector("details").open,
  before,
);
await sees("the end", () => document.querySelector("#now.over"));
await sees("another run", () => document.querySelector("#now:not(.over) .doing"));
await sees("nobody there", () => document.querySelector("#now.lost"));
await sees("somebody again", () => document.querySelector("#now:not(.lost)"));
await browser.close();
