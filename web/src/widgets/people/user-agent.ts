/** What a browser's name for itself says to people. Versions and systems lie at times: a hint. */

export type Device = {
  /** `Chrome 142`; of programs their own name; empty: not known. */
  readonly browser: string;
  /** `Windows`; empty: not known. */
  readonly system: string;
  readonly isMobile: boolean;
};

/** The first that is found: each of them also names some of those below it. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ["WeChat", /\bMicroMessenger\/(\d+)/],
  ["Edge", /\b(?:Edg|EdgA|EdgiOS)\/(\d+)/],
  ["Opera", /\b(?:OPR|OPT)\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
];

const systems: readonly (readonly [string, RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["HarmonyOS", /\b(?:HarmonyOS|OpenHarmony)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

const mobileSystems: ReadonlySet<string> = new Set(["Android", "HarmonyOS", "iPad", "iPhone"]);

/** Longest name of a program that is shown, in characters. */
const programMax = 40;

export function readUserAgent(text: string): Device {
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0] ?? "";
  const isMobile = mobileSystems.has(system);
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(text)?.[1];
    if (version !== undefined) return { browser: `${name} ${version}`, system, isMobile };
  }
  // `curl/8.5.0`, `python-requests/2.32`: the name a program gives itself first.
  const [, program = "", version = ""] = /^([\w .-]+?)(?:\/(\d+))?(?=[\s./;(]|$)/.exec(text) ?? [];
  const known = program === "" || program === "Mozilla" ? "" : `${program} ${version}`.trim();
  return { browser: known.slice(0, programMax), system, isMobile };
}
