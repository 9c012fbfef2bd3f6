// Labels that touch or leave their picture, and pages that are wider than the screen.

/** Pixels by which labels may touch and stick out. */
const TOLERANCE = 1;

/**
 * Runs in the page: every label of the pictures, with the box of its ink in pixels of the page.
 * The box that the browser tells is as high as a line of text, whatever stands in it.
 */
export function textBoxes() {
  const context = document.createElement("canvas").getContext("2d");
  const boxOf = (text) => {
    const words = text.textContent.trim();
    const style = getComputedStyle(text);
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const ink = context.measureText(words);
    const start = text.getStartPositionOfChar(0);
    const place = text.getScreenCTM();
    const x = (units) => place.e + place.a * (start.x + units) + scrollX;
    const y = (units) => place.f + place.d * (start.y + units) + scrollY;
    return {
      words,
      fill: style.fill,
      left: x(-ink.actualBoundingBoxLeft),
      right: x(ink.actualBoundingBoxRight),
      top: y(-ink.actualBoundingBoxAscent),
      bottom: y(ink.actualBoundingBoxDescent),
    };
  };
  // Chessmen are pictures, drawn over each other on purpose.
  const isLabel = (text) => /[^\s\u2654-\u265f\ufe0e]/.test(text.textContent);
  // Of a picture for screens and one for phones, one is shown.
  const shown = (svg) => svg.getClientRects().length > 0;
  return [...document.querySelectorAll("svg.plot")].filter(shown).map((svg) => {
    const { left, top, right, bottom } = svg.getBoundingClientRect();
    const frame = {
      left: left + scrollX,
      top: top + scrollY,
      right: right + scrollX,
      bottom: bottom + scrollY,
    };
    const labels = [...svg.querySelectorAll("text")].filter(isLabel).map(boxOf);
    return { name: svg.getAttribute("aria-label"), frame, labels };
  });
}

/** Labels that overlap in a picture or leave it. */
export function labelFaults(pictures) {
  return pictures.flatMap(({ name, frame, labels }) => {
    const clipped = labels.filter((label) => sticksOut(label, frame));
    const pairs = labels.flatMap((a, i) =>
      labels
        .slice(i + 1)
        .filter((b) => overlap(a, b))
        .map((b) => [a, b]),
    );
    return [
      ...clipped.map(({ words }) => ({ rule: "label-clipped", place: `${name}: "${words}"` })),
      ...pairs.map(([a, b]) => ({
        rule: "labels-overlap",
        place: `${name}: "${a.words}" and "${b.words}"`,
      })),
    ];
  });
}

function sticksOut(label, frame) {
  const out = [
    frame.left - label.left,
    label.right - frame.right,
    frame.top - label.top,
    label.bottom - frame.bottom,
  ];
  return Math.max(...out) > TOLERANCE;
}

function overlap(a, b) {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.min(across, down) > TOLERANCE;
}

/**
 * Runs in the page: the outermost of what reaches beyond the screen and does not scroll in a box
 * of its own.
 */
export function widerThanScreen() {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  const scrolls = (element) =>
    element !== document.body && getComputedStyle(element).overflowX !== "visible";
  const isFree = (element) => {
    for (let box = element.parentElement; box; box = box.parentElement)
      if (scrolls(box)) return false;
    return true;
  };
  const isWide = (element) => element.getBoundingClientRect().right > wide + 1;
  const told = (element) => `${element.localName}: "${element.textContent.trim().slice(0, 40)}"`;
  return [...document.body.querySelectorAll("*")]
    .filter((element) => isWide(element) && !isWide(element.parentElement) && isFree(element))
    .map((element) => ({ rule: "wider-than-the-screen", place: told(element) }));
}
