import { useEffect, useState } from "react";

/** The number of series that have a colour of their own. */
const seriesColours = 10;

const names = [
  ...Array.from({ length: seriesColours }, (_, index) => `--chart-${index + 1}`),
  "--chart-rest",
];

/** Colours of a chart's frame, as CSS variables. */
const frameNames = ["--ink", "--muted", "--line", "--panel"] as const;

export type ChartColours = {
  /** Colours of the series, in their order. */
  readonly series: readonly string[];
  /** The colour of the series that adds up all others. */
  readonly rest: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
};

/** Reads the colours of charts from the page's theme; they change with it. */
export function useChartColours(): ChartColours {
  const [colours, setColours] = useState(readColours);
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(readColours()));
    observer.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => observer.disconnect();
  }, []);
  return colours;
}

function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  const [ink, muted, line, panel] = frameNames.map(read);
  const series = names.map(read);
  return {
    series: series.slice(0, seriesColours),
    rest: series.at(-1) ?? "",
    ink: ink ?? "",
    muted: muted ?? "",
    line: line ?? "",
    panel: panel ?? "",
  };
}

/** The colour of a series by its position; `null`: the series of all others. */
export function colourOf(colours: ChartColours, place: number | null): string {
  return place === null ? colours.rest : (colours.series[place % seriesColours] ?? colours.rest);
}

/** The CSS variable of a series' colour, for marks beside names. */
export function colourVariable(place: number | null): string {
  return `var(--chart-${place === null ? "rest" : (place % seriesColours) + 1})`;
}
