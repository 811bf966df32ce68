import { type ComponentProps, lazy, Suspense } from "react";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";

const Calendar = lazy(async () => ({ default: (await import("./Calendar.tsx")).Calendar }));

/** The calendar, loaded when it is first shown; its place is reserved meanwhile. */
export function LazyCalendar(props: ComponentProps<typeof Calendar>) {
  return (
    <Suspense fallback={<Skeleton width={252} height={296} />}>
      <Calendar {...props} />
    </Suspense>
  );
}
