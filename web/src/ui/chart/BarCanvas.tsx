/**
 * Stacked bars on a canvas, drawn by Apache ECharts. Loaded only with a chart that is shown; only
 * the parts of the library that are named here are bundled.
 */

import { BarChart } from "echarts/charts";
import { GridComponent, TooltipComponent } from "echarts/components";
import { type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { type ChartColours, colourOf, useChartColours } from "./chart-colours.ts";
import type { BarChartData } from "./chart-data.ts";

use([BarChart, GridComponent, TooltipComponent, CanvasRenderer]);

export function BarCanvas(props: {
  readonly data: BarChartData;
  /** Names of the series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  /** Writes a value for the axis and the tooltip. */
  readonly show: (value: number) => string;
  readonly onPick?: ((bucket: number, series: number) => void) | undefined;
}) {
  const { data, hidden, show, onPick } = props;
  const place = useRef<HTMLDivElement | null>(null);
  const chart = useRef<EChartsType | null>(null);
  const picked = useRef(onPick);
  const colours = useChartColours();

  useEffect(() => {
    picked.current = onPick;
  }, [onPick]);

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const made = init(element, null, { renderer: "canvas" });
    chart.current = made;
    made.on("click", ({ dataIndex, seriesIndex }) => {
      if (seriesIndex !== undefined) picked.current?.(dataIndex, seriesIndex);
    });
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    chart.current?.setOption(optionOf(data, { hidden, show, colours }), { notMerge: true });
  }, [data, hidden, show, colours]);

  return <div ref={place} className="h-64 w-full" />;
}

/** The most series that a tooltip lists; the largest come first. */
const tooltipMax = 12;

type Drawing = {
  readonly hidden: ReadonlySet<string>;
  readonly show: (value: number) => string;
  readonly colours: ChartColours;
};

/** What ECharts gives to the function that writes a tooltip, as far as it is read here. */
type TipItem = { readonly dataIndex: number; readonly seriesIndex?: number };

function optionOf(data: BarChartData, { hidden, show, colours }: Drawing) {
  const text = { color: colours.muted, fontSize: 11 };
  const tip = (given: TipItem | readonly TipItem[]): string => {
    const items = [given].flat();
    const bucket = items[0]?.dataIndex ?? 0;
    const lines = items
      .map(({ seriesIndex = 0 }) => data.series[seriesIndex])
      .flatMap((series) =>
        series === undefined ? [] : [{ name: series.name, value: series.values[bucket] ?? 0 }],
      )
      .filter(({ name, value }) => value > 0 && !hidden.has(name))
      .toSorted((a, b) => b.value - a.value);
    const sum = lines.reduce((total, { value }) => total + value, 0);
    const shown = lines.slice(0, tooltipMax).map(({ name, value }) => `${name}  ${show(value)}`);
    return [`${data.buckets[bucket]?.exact ?? ""}  ${show(sum)}`, ...shown].join("\n");
  };
  return {
    animation: false,
    grid: { left: 4, right: 4, top: 12, bottom: 4, containLabel: true },
    tooltip: {
      trigger: "axis" as const,
      // On the canvas and not as HTML: names of models come from outside.
      renderMode: "richText" as const,
      confine: true,
      axisPointer: { type: "shadow" as const, shadowStyle: { color: colours.line, opacity: 0.4 } },
      backgroundColor: colours.panel,
      borderColor: colours.line,
      textStyle: { color: colours.ink, fontSize: 12 },
      formatter: tip,
    },
    xAxis: {
      type: "category" as const,
      data: data.buckets.map(({ label }) => label),
      axisLabel: { ...text, hideOverlap: true },
      axisLine: { lineStyle: { color: colours.line } },
      axisTick: { show: false },
    },
    yAxis: {
      type: "value" as const,
      axisLabel: { ...text, formatter: show },
      splitLine: { lineStyle: { color: colours.line } },
    },
    series: data.series.map(({ name, values, place }) => ({
      name,
      type: "bar" as const,
      stack: "all",
      cursor: "pointer",
      data: hidden.has(name) ? values.map(() => 0) : [...values],
      itemStyle: {
        color: colourOf(colours, place),
        borderColor: colours.panel,
        borderWidth: 0.5,
      },
      barMaxWidth: 40,
    })),
  };
}
