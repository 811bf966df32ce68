import { expect, test } from "bun:test";
import { readUserAgent } from "./user-agent.ts";

const apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const blink = "AppleWebKit/537.36 (KHTML, like Gecko)";

/**
 * User-Agent headers of browsers in November 2026: header, browser, system, whether it is a mobile
 * system.
 */
const browsers: readonly (readonly [string, string, string, boolean])[] = [
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/142.0.0.0 Safari/537.36`,
    "Chrome 142",
    "Windows",
    false,
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    "Edge 142",
    "Windows",
    false,
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/26.1 Safari/605.1.15`,
    "Safari 26",
    "macOS",
    false,
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Firefox 145",
    "Linux",
    false,
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${blink} Chrome/142.0.0.0 Safari/537.36`,
    "Chrome 142",
    "ChromeOS",
    false,
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${apple} Version/26.0 Mobile/15E148 Safari/604.1`,
    "Safari 26",
    "iPhone",
    true,
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${apple} CriOS/142.0.7444.46 Mobile/15E148 Safari/604.1`,
    "Chrome 142",
    "iPhone",
    true,
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${blink} Chrome/142.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.50`,
    "WeChat 8",
    "Android",
    true,
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${blink} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet 29",
    "Android",
    true,
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${blink} Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0`,
    "Opera 125",
    "Windows",
    false,
  ],
];

test("a session is named by its browser and system, whatever else it claims to be compatible with", () => {
  for (const [text, browser, system, isMobile] of browsers) {
    expect(readUserAgent(text), text).toEqual({ browser, system, isMobile });
  }
});

test("a program has the name it gives itself; an unknown text has none", () => {
  const nameOf = (text: string) => readUserAgent(text).browser;
  expect(nameOf("curl/8.5.0")).toBe("curl 8");
  expect(nameOf("python-requests/2.32.3")).toBe("python-requests 2");
  expect(nameOf("MyTool (+https://example.com)")).toBe("MyTool");
  expect(nameOf("")).toBe("");
  expect(nameOf("Mozilla/5.0 (compatible)")).toBe("");
  expect(nameOf(`${"x".repeat(500)}/1.0`).length).toBeLessThanOrEqual(40);
});
