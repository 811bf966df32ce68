import { act, render } from "#testing/dom.ts";
import { afterEach, expect, test } from "bun:test";
import { noteFailure, useRunning } from "#ui/attention/attention.ts";
import { toast } from "#ui/overlays/toast.ts";
import { useDocumentTitle } from "./use-document-title.ts";

afterEach(() => look("visible"));

function Screen({ isRunning = false }: { readonly isRunning?: boolean }) {
  useDocumentTitle("Channels");
  useRunning(isRunning);
  return null;
}

/** Hides or shows the page, as switching between tabs does. */
async function look(state: "visible" | "hidden") {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
}

test("failures while the user is elsewhere are counted in the tab's title until the user is back", async () => {
  render(<Screen />);
  expect(document.title).toBe("Channels · Tollgate");
  await look("hidden");
  await act(async () => noteFailure("channel 5"));
  await act(async () => noteFailure("channel 5"));
  expect(document.title).toBe("(1) Channels · Tollgate");
  await act(async () => toast({ tone: "danger", title: "The log was not cleaned" }));
  expect(document.title).toBe("(2) Channels · Tollgate");
  await act(async () => toast({ tone: "success", title: "Saved" }));
  expect(document.title).toBe("(2) Channels · Tollgate");
  await look("visible");
  expect(document.title).toBe("Channels · Tollgate");
});

test("a failure that the user sees is not counted", async () => {
  render(<Screen />);
  await act(async () => noteFailure("channel 6"));
  await act(async () => toast({ tone: "danger", title: "Not saved" }));
  expect(document.title).toBe("Channels · Tollgate");
});

test("the tab's title marks a job while it runs; a failure goes before it", async () => {
  const { rerender, unmount } = render(<Screen isRunning />);
  expect(document.title).toBe("⟳ Channels · Tollgate");
  await look("hidden");
  await act(async () => noteFailure("channel 7"));
  expect(document.title).toBe("(1) Channels · Tollgate");
  await look("visible");
  expect(document.title).toBe("⟳ Channels · Tollgate");
  rerender(<Screen />);
  expect(document.title).toBe("Channels · Tollgate");
  unmount();
});
