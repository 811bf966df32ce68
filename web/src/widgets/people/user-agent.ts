/** Browser and system from a User-Agent header. It may lie about both, so this is a hint only. */

export type Device = {
  /** `Chrome 142`; a program's own name; empty: unknown. */
  readonly browser: string;
  /** `Windows`; empty: unknown. */
  readonly system: string;
  readonly isMobile: boolean;
};

/** The first match counts, because each browser also names some of those below it. */
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

/** The longest shown name of a program, in characters. */
const programMax = 40;

export function readUserAgent(text: string): Device {
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0] ?? "";
  const isMobile = mobileSystems.has(system);
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(text)?.[1];
    if (version !== undefined) return { browser: `${name} ${version}`, system, isMobile };
  }
  // `curl/8.5.0`, `python-requests/2.32`: the first name is the program's.
  const [, program = "", version = ""] = /^([\w .-]+?)(?:\/(\d+))?(?=[\s./;(]|$)/.exec(text) ?? [];
  const known = program === "" || program === "Mozilla" ? "" : `${program} ${version}`.trim();
  return { browser: known.slice(0, programMax), system, isMobile };
}
