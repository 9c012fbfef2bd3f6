// Contrast of the labels in pictures. What lies behind a label is photographed without it, for
// axe-core does not look into pictures.

/** WCAG 2.2, 1.4.3. */
const LEAST = 4.5;

/** Share of a label's ground that may be darker or brighter: a line that crosses it. */
const CROSSED = 0.2;

/** Labels that are too faint on more of their ground than a crossing line takes. */
export async function lowContrast(page, pictures) {
  await page.addStyleTag({ content: "svg.plot text { visibility: hidden }" });
  const found = [];
  for (const { name, frame, labels } of pictures) {
    if (labels.length === 0) continue;
    const clip = {
      x: frame.left,
      y: frame.top,
      width: frame.right - frame.left,
      height: frame.bottom - frame.top,
    };
    const photograph = (await page.screenshot({ clip, fullPage: true })).toString("base64");
    const contrasts = await page.evaluate(contrastsOn, {
      photograph,
      frame,
      labels,
      share: CROSSED,
    });
    labels.forEach(({ words, fill }, i) => {
      if (contrasts[i] >= LEAST) return;
      found.push({
        rule: "label-contrast",
        place: `${name}: "${words}" ${fill}, ${contrasts[i].toFixed(2)} : 1`,
      });
    });
  }
  return found;
}

/**
 * Runs in the page: of each label the contrast with its ground, but for the `share` of the
 * ground that is nearest to its colour.
 */
async function contrastsOn({ photograph, frame, labels, share }) {
  const image = new Image();
  image.src = `data:image/png;base64,${photograph}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const linear = (value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return labels.map((label) => {
    const ink = luminance(label.fill.match(/\d+/g).map(Number));
    const [x, y] = [label.left - frame.left, label.top - frame.top];
    const [width, height] = [label.right - label.left, label.bottom - label.top].map((side) =>
      Math.max(1, side),
    );
    const { data } = context.getImageData(x, y, width, height);
    const grounds = Array.from({ length: data.length / 4 }, (_, i) =>
      contrast(ink, luminance(data.subarray(4 * i))),
    );
    return grounds.sort((a, b) => a - b)[Math.floor(share * grounds.length)];
  });
}
