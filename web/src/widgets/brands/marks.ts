/** The brands' marks as images. All marks are loaded together, when the first of them is shown. */

import { useEffect, useSyncExternalStore } from "react";
import { openStore } from "#api/store.ts";

type MarkImage = {
  readonly url: string;
  /** Whether the image has no colour of its own and takes that of the text. */
  readonly plain: boolean;
};

/** `waiting`: the marks are being loaded. `failed`: they could not be, so letters are shown. */
type Marks =
  | { readonly kind: "waiting" | "failed" }
  | { readonly kind: "loaded"; readonly images: ReadonlyMap<string, MarkImage> };

const store = openStore<Marks>({ kind: "waiting" });

let asked = false;

async function loadMarks(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const { markTexts } = await import("./mark-texts.ts");
    const images = Object.entries(markTexts).map(([id, svg]): [string, MarkImage] => [
      id,
      {
        url: `data:image/svg+xml,${encodeURIComponent(svg)}`,
        plain: svg.includes('fill="currentColor"'),
      },
    ]);
    store.write({ kind: "loaded", images: new Map(images) });
  } catch {
    // The marks are only decoration, so a failure is not reported; the next component that shows a
    // mark tries again.
    asked = false;
    store.write({ kind: "failed" });
  }
}

export function useMarks(): Marks {
  useEffect(() => void loadMarks(), []);
  return useSyncExternalStore(store.subscribe, store.read);
}
