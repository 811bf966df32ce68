import { type ComponentProps, lazy, Suspense } from "react";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";

const Calendar = lazy(async () => ({ default: (await import("./Calendar.tsx")).Calendar }));

/**
 * The calendar, whose code is loaded when it is first shown; meanwhile a skeleton of the same size
 * takes its place.
 */
export function LazyCalendar(props: ComponentProps<typeof Calendar>) {
  return (
    <Suspense fallback={<Skeleton width={252} height={296} />}>
      <Calendar {...props} />
    </Suspense>
  );
}
