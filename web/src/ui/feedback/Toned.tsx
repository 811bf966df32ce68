import type { ReactNode } from "react";
import { type Tone, toneInk } from "#ui/tone.ts";

/**
 * Shows text in the colour of a tone. The words must say the same, for readers who do not see the
 * colour.
 */
export function Toned(props: { tone: Tone; children: ReactNode }) {
  return <span className={toneInk[props.tone]}>{props.children}</span>;
}
