import type { ReactNode } from "react";
import { type Tone, toneInk } from "#ui/tone.ts";

/** Text in the colour of a tone; the words say the same without it. */
export function Toned(props: { tone: Tone; children: ReactNode }) {
  return <span className={toneInk[props.tone]}>{props.children}</span>;
}
