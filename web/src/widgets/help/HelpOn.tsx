import { lazy, Suspense } from "react";
import { withTexts } from "#i18n/t.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { HelpButton } from "#ui/overlays/HelpButton.tsx";
import type { HelpTerm } from "./terms.ts";

// Loaded, with its texts, when the first one opens.
const HelpText = lazy(async () => ({
  default: (await withTexts("help", import("./HelpText.tsx"))).HelpText,
}));

/** A "?" beside a label: one sentence about its word, and a link to more. */
export function HelpOn(props: {
  readonly term: HelpTerm;
  /** The label it stands beside. */
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
