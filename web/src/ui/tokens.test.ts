import { expect, test } from "bun:test";

const css = await Bun.file(new URL("tokens.css", import.meta.url)).text();
const themes = { light: readTokens(":root"), dark: readTokens(".dark") };

const tones = ["neutral", "accent", "success", "warning", "danger", "info"];
const grounds = ["page", "panel", "sunken", "field", "hover", "active"];

/**
 * The least contrast that WCAG 2.2 requires: 4.5:1 for text (1.4.3), 3:1 for controls and their
 * states (1.4.11).
 */
const text = 4.5;
const shape = 3;

const pairs: readonly (readonly [string, string, number])[] = [
  ...grounds.flatMap((ground) => [
    ["ink", ground, text] as const,
    ["muted", ground, text] as const,
    ...tones.map((tone) => [`${tone}-ink`, ground, text] as const),
    ["ring", ground, shape] as const,
  ]),
  // Placeholders and disabled text must be readable in fields and popups, also while hovered.
  ...["page", "panel", "sunken", "field", "hover"].map(
    (ground) => ["faint", ground, text] as const,
  ),
  ...["page", "panel", "sunken", "field"].flatMap((ground) => [
    ["mark", ground, shape] as const,
    ...tones.map((tone) => [`${tone}-solid`, ground, shape] as const),
  ]),
  ...tones.map((tone) => [`${tone}-ink`, `${tone}-soft`, text] as const),
  // Plain and secondary text must be readable on badges and chips.
  ...tones.map((tone) => ["ink", `${tone}-soft`, text] as const),
  // Bars of charts must stand out from the card behind them.
  ...[...Array.from({ length: 10 }, (_, index) => String(index + 1)), "rest"].flatMap((name) =>
    ["page", "panel"].map((ground) => [`chart-${name}`, ground, shape] as const),
  ),
  ["accent-ink", "accent-line", text],
  ...["accent-solid", "accent-hover", "danger-solid", "danger-hover"].map(
    (ground) => ["on-solid", ground, text] as const,
  ),
  // The knob of a switch that is on or off, and bars, must stand out from their track.
  ["on-solid", "mark", shape],
  // The tooltip inverts the page's colours: text in the colour of the page on the colour of text.
  ["page", "ink", text],
];

for (const [theme, tokens] of Object.entries(themes)) {
  test(`all pairs of colours that meet have enough contrast in the ${theme} theme`, () => {
    const failing = pairs
      .map(([front, back, least]) => ({
        pair: `${front} on ${back}`,
        ratio: contrast(colour(tokens, front), colour(tokens, back)),
        least,
      }))
      .filter(({ ratio, least }) => ratio < least)
      .map(({ pair, ratio, least }) => `${pair}: ${ratio.toFixed(2)} < ${least}`);
    expect(failing).toEqual([]);
  });
}

test("the dark theme replaces every colour of the light one", () => {
  const sizes = [...themes.light.keys()].filter((name) => !isColour(themes.light.get(name)));
  const missing = [...themes.light.keys()].filter(
    (name) => !sizes.includes(name) && !themes.dark.has(name),
  );
  // White text on a coloured background looks the same in both themes, but both must define its
  // colour.
  expect(missing).toEqual([]);
});

function readTokens(selector: string): ReadonlyMap<string, string> {
  const start = css.indexOf(`\n${selector} {`);
  const block = css.slice(start, css.indexOf("\n}", start));
  const found = block.matchAll(/--([\w-]+):\s*([^;]+);/g);
  return new Map(Array.from(found, ([, name, value]) => [name ?? "", value ?? ""]));
}

function isColour(value: string | undefined): boolean {
  return value?.startsWith("#") === true || value?.startsWith("rgb") === true;
}

function colour(tokens: ReadonlyMap<string, string>, name: string): string {
  const value = tokens.get(name);
  if (value === undefined || !/^#[0-9a-f]{6}$/.test(value)) throw new Error(`--${name}: ${value}`);
  return value;
}

function contrast(front: string, back: string): number {
  const [high, low] = [luminance(front), luminance(back)].toSorted((a, b) => b - a);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => {
    const part = Number.parseInt(hex.slice(place, place + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
