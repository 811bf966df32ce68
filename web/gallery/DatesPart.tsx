/** Dates and times in every state. */

import { useState } from "react";
import { DateTimePicker } from "#ui/date/DateTimePicker.tsx";
import { DateTimeRange } from "#ui/date/DateTimeRange.tsx";
import type { TimeRange } from "#ui/date/presets.ts";
import { Example, Examples, useSample } from "./Example.tsx";

/** A fixed time in Unix seconds, so that two screenshots of the gallery can be compared. */
const sample = Math.floor(new Date(2026, 10, 21, 14, 57, 44).getTime() / 1000);
const week = 7 * 24 * 60 * 60;

export function DatesPart() {
  const s = useSample();
  const [time, setTime] = useState<number | null>(sample);
  const [never, setNever] = useState<number | null>(null);
  const [range, setRange] = useState<TimeRange>({ start: sample - week, end: sample });
  const [since, setSince] = useState<TimeRange>({ start: sample, end: null });
  const [open, setOpen] = useState<TimeRange>({ start: null, end: null });
  const expiry = s("过期时间", "Expiry");
  return (
    <Examples>
      <Example title="point in time">
        <DateTimePicker aria-label={expiry} value={time} onChange={setTime} clearable />
      </Example>
      <Example title="none">
        <DateTimePicker
          aria-label={expiry}
          value={never}
          onChange={setNever}
          clearable
          placeholder={s("永不过期", "Never")}
        />
      </Example>
      <Example title="invalid; disabled">
        <div className="grid grid-cols-2 gap-2">
          <DateTimePicker aria-label={expiry} value={time} onChange={setTime} invalid />
          <DateTimePicker aria-label={expiry} value={time} onChange={setTime} disabled />
        </div>
      </Example>
      <Example title="range">
        <DateTimeRange value={range} onChange={setRange} />
      </Example>
      <Example title="range, open at the end">
        <DateTimeRange value={since} onChange={setSince} />
      </Example>
      <Example title="range, none">
        <DateTimeRange value={open} onChange={setOpen} />
      </Example>
    </Examples>
  );
}
