/** Colours over the console on the days round New Year. */

import { useEffect, useState } from "react";
import { Celebration } from "#ui/layout/Celebration.tsx";
import { effectMs, isNewYearDue, keepNewYearShown, reloadLater } from "./new-year.ts";

export function NewYear() {
  const [isDue] = useState(() => isNewYearDue(new Date()));
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isDue) return undefined;
    keepNewYearShown(new Date());
    const timer = setTimeout(() => setOver(true), effectMs);
    const stopReload = reloadLater(() => location.reload());
    return () => {
      clearTimeout(timer);
      stopReload();
    };
  }, [isDue]);
  return isDue && !isOver ? <Celebration durationMs={effectMs} /> : null;
}
