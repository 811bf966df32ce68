/**
 * A browser for component tests; import it in the first line of a test file: `import "./dom.ts";`
 *
 * `npm test` runs each test file in a browser of its own; when run by hand, `bun test --isolate`
 * does.
 *
 * Tests import Testing Library from this file, never from its package: Bun evaluates CommonJS
 * packages before the other modules of a file, and React DOM does not notice typing if there was no
 * document when it was evaluated.
 */

import "./register-dom.ts";
import { afterEach, beforeEach } from "bun:test";
import { loadServerMessages, setLanguage } from "#i18n/t.ts";
import "./texts.ts";

const library = await import("@testing-library/react");
export const { act, cleanup, fireEvent, render, renderHook, screen, waitFor, within } = library;
// Testing Library's default of one second would fail on a busy machine.
library.configure({ asyncUtilTimeout: 20_000 });

if (!looksAtDocument()) {
  throw new Error('Import Testing Library from "./dom.ts", not from "@testing-library/react"');
}

beforeEach(freshBrowser);
afterEach(() => cleanup());

/**
 * Resets the page to that of a first visit: a wide window, Chinese, and nothing in the browser's
 * storage.
 */
export async function freshBrowser(): Promise<void> {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  setWindowWidth(1440);
  await setLanguage("zh");
  // The shell around every screen loads them, too.
  await loadServerMessages();
}

/** Sets the width in pixels; below 768 the console shows its layout for phones. */
export function setWindowWidth(width: number): void {
  // happy-dom adds the property `happyDOM` to the window.
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
