/**
 * A browser for component tests. First line of a test file: `import "./dom.ts";`
 *
 * `npm test` runs each file in a browser of its own; by hand `bun test --isolate` does.
 *
 * Testing Library is imported from here, never by its own name: Bun evaluates CommonJS packages
 * before anything else of a file, and React DOM without a document does not hear typing.
 */

import "./register-dom.ts";
import { afterEach, beforeEach } from "bun:test";
import { setLanguage } from "#i18n/t.ts";
import "./texts.ts";

const library = await import("@testing-library/react");
export const { act, cleanup, fireEvent, render, renderHook, screen, waitFor, within } = library;
// Testing Library's own limit of a second would fail on a busy machine.
library.configure({ asyncUtilTimeout: 20_000 });

if (!looksAtDocument()) {
  throw new Error('Import Testing Library from "./dom.ts", not from "@testing-library/react"');
}

beforeEach(freshBrowser);
afterEach(() => cleanup());

/** Resets the page to a first visit: a wide window, Chinese, and nothing stored. */
export async function freshBrowser(): Promise<void> {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  setWindowWidth(1440);
  await setLanguage("zh");
}

/** Pixels; below 768 the console shows its layout for phones. */
export function setWindowWidth(width: number): void {
  // happy-dom adds this to the window.
  const { happyDOM } = window as unknown as { happyDOM: { setViewport: (size: object) => void } };
  happyDOM.setViewport({ width, height: 900 });
}

function looksAtDocument(): boolean {
  try {
    screen.queryByText("nothing");
    return true;
  } catch {
    return false;
  }
}
