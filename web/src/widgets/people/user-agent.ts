/**
 * Reads browser and system from a User-Agent header. Clients can send any header, so the result is
 * only a hint for people.
 */

export type Device = {
  /**
   * The browser with its version, such as `Chrome 142`; for other programs their name; empty:
   * unknown.
   */
  readonly browser: string;
  /** The operating system, such as `Windows`; empty: unknown. */
  readonly system: string;
  readonly isMobile: boolean;
};

/**
 * Patterns in the order in which they are tried: most browsers also name others in their header, so
 * the more specific ones come first.
 */
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

/** The longest name of a program that is shown, in characters. */
const programMax = 40;

export function readUserAgent(text: string): Device {
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0] ?? "";
  const isMobile = mobileSystems.has(system);
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(text)?.[1];
    if (version !== undefined) return { browser: `${name} ${version}`, system, isMobile };
  }
  // The first word names any other program: `curl/8.5.0`, `python-requests/2.32`.
  const [, program = "", version = ""] = /^([\w .-]+?)(?:\/(\d+))?(?=[\s./;(]|$)/.exec(text) ?? [];
  const known = program === "" || program === "Mozilla" ? "" : `${program} ${version}`.trim();
  return { browser: known.slice(0, programMax), system, isMobile };
}
