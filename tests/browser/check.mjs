// Opens report pages in Chromium and prints what makes them hard to read:
//
//     node tests/browser/check.mjs PAGE...
//
// Each page is looked at in both themes, on a wide screen and on a phone, with everything that
// folds unfolded. Findings of axe-core below "serious" are printed and do no harm; all others end
// the program with 1. CHROMIUM names another browser than Debian's.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { labelFaults, textBoxes, widerThanScreen } from "./faults.mjs";
import { lowContrast } from "./contrast.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SCREENS = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const THEMES = ["light", "dark"];

/** Impacts of axe-core that a page may not have. */
const GRAVE = ["serious", "critical"];

async function main(paths) {
  if (paths.length === 0) throw new Error("which pages?");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  let grave = 0;
  for (const path of paths) {
    for (const finding of await findings(browser, path)) {
      grave += finding.isGrave;
      console.log([path, finding.view, finding.rule, finding.place].join("\t"));
    }
  }
  await browser.close();
  console.log(`${paths.length} pages, ${grave} findings that have to go`);
  return grave > 0;
}

/** What is wrong with a page in any view. */
async function findings(browser, path) {
  const views = Object.keys(SCREENS).flatMap((screen) =>
    THEMES.map((theme) => ({ screen, theme })),
  );
  return (await Promise.all(views.map((view) => findingsOf(browser, path, view)))).flat();
}

async function findingsOf(browser, path, { screen, theme }) {
  const page = await browser.newPage({ viewport: SCREENS[screen], colorScheme: theme });
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.evaluate(() => document.querySelectorAll("details").forEach((it) => (it.open = true)));
  const found = [...(await ours(page, screen, theme)), ...(await byAxe(page))];
  await page.close();
  return found.map((finding) => ({ view: `${screen} ${theme}`, isGrave: true, ...finding }));
}

/**
 * Empties the pictures, so that it is the last to look at a page: axe-core takes minutes for
 * thousands of squares, and cannot tell what lies behind the text among them.
 */
async function byAxe(page) {
  await page.addScriptTag({ path: AXE });
  const { violations } = await page.evaluate(() => {
    document.querySelectorAll("svg").forEach((svg) => svg.replaceChildren());
    return axe.run({ resultTypes: ["violations"] });
  });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target }) => ({
      rule: id,
      place: target.join(" "),
      isGrave: GRAVE.includes(impact),
    })),
  );
}

/** What axe-core does not look for. Labels stand alike in all views but for their colours. */
async function ours(page, screen, theme) {
  if (screen === "phone") return page.evaluate(widerThanScreen);
  const boxes = await page.evaluate(textBoxes);
  const misplaced = theme === THEMES[0] ? labelFaults(boxes) : [];
  return [...misplaced, ...(await lowContrast(page, boxes))];
}

process.exitCode = Number(await main(process.argv.slice(2)));
