/** The brands' marks as images. They are loaded together, when the first of them is shown. */

import { useEffect, useSyncExternalStore } from "react";
import { openStore } from "#api/store.ts";

type MarkImage = {
  readonly url: string;
  /** It has no colour of its own and takes that of text. */
  readonly plain: boolean;
};

/** `waiting`: a mark may still come. After a failure letters stand in their place. */
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
    // A decoration: the page works without it, and the next one asks again.
    asked = false;
    store.write({ kind: "failed" });
  }
}

export function useMarks(): Marks {
  useEffect(() => void loadMarks(), []);
  return useSyncExternalStore(store.subscribe, store.read);
}
