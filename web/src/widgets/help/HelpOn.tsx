import { lazy, Suspense } from "react";
import { withTexts } from "#i18n/t.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { HelpButton } from "#ui/overlays/HelpButton.tsx";
import type { HelpTerm } from "./terms.ts";

// The help texts are loaded when the user opens a help for the first time.
const HelpText = lazy(async () => ({
  default: (await withTexts("help", import("./HelpText.tsx"))).HelpText,
}));

/**
 * A "?" button beside a label: opens one sentence that explains the label's term, and a link to the
 * full explanation.
 */
export function HelpOn(props: {
  readonly term: HelpTerm;
  /** The label beside which the button stands. */
  readonly word: string;
}) {
  return (
    <HelpButton word={props.word}>
      <Suspense fallback={<Skeleton height={54} />}>
        <HelpText term={props.term} />
      </Suspense>
    </HelpButton>
  );
}
