import type { ReactNode } from "react";
import { Muted } from "#ui/feedback/Muted.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";

/** A cell with a value and, below it, a less important one. */
export function TwoLines({ above, below }: { above: ReactNode; below: string }) {
  return (
    <span className="flex max-w-28 min-w-0 flex-col items-start leading-tight">
      {above}
      {below !== "" && (
        <span className="max-w-full text-xs">
          <Muted>
            <CutText>{below}</CutText>
          </Muted>
        </span>
      )}
    </span>
  );
}

/** A dash, for cells without a value. */
export function None() {
  return <Muted>–</Muted>;
}
