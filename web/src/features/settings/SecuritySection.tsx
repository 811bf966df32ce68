import { lazy, Suspense } from "react";
import { withTexts } from "#i18n/t.ts";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";

// With words of its own, which are needed here only.
const SecondFactorPart = lazy(async () => ({
  default: (await withTexts("security", import("./SecondFactorPart.tsx"))).SecondFactorPart,
}));

/** How the own account is protected besides its password. */
export function SecuritySection() {
  return (
    <Suspense fallback={<Skeleton height={220} />}>
      <SecondFactorPart />
    </Suspense>
  );
}
