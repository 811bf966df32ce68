/** Finds a Chromium for the browser tests, and installs one where this user may do so. */

import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstall, installPackages } from "./apt.mjs";

/**
 * The build of Chromium that has no windows. A page costs little more than half of what it costs in
 * the normal build.
 */
const shell = "chromium-headless-shell";

const names = [shell, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const elsewhere = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Without these fonts Chinese appears as boxes. No test notices, but screenshots show it. */
const debianFonts = "/usr/share/fonts/opentype/noto";

/**
 * Finds a Chromium, or installs one.
 *
 * @returns {string} the program
 * @throws {Error} saying what to install when there is none and this user may not install it
 */
export function chromiumProgram() {
  const given = process.env["TOLLGATE_TEST_CHROMIUM"];
  if (given !== undefined && given !== "") return given;
  if (canInstall()) {
    if (find() === undefined) installPackages([shell]);
    // Some derivatives of Debian lack the package of the headless shell, so the whole Chromium is
    // installed there.
    if (find() === undefined) installPackages(["chromium"]);
    if (!hasFonts()) installPackages(["fonts-noto-cjk"]);
  }
  const found = find();
  if (found !== undefined) return found;
  throw new Error(
    `The browser tests need Chromium or Chrome. To install it:
  Debian          sudo apt-get install chromium-headless-shell fonts-noto-cjk
  Fedora          sudo dnf install chromium google-noto-sans-cjk-fonts
  Alpine          sudo apk add chromium font-noto-cjk
  macOS           brew install --cask chromium
Or name one: TOLLGATE_TEST_CHROMIUM=/path/to/chrome`,
  );
}

function find() {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...elsewhere].find((path) => existsSync(path));
}

function hasFonts() {
  return existsSync(debianFonts) && readdirSync(debianFonts).some((name) => name.includes("CJK"));
}
