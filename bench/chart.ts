/** Draws the chart of the report: the product's CPU time per call, as a multiple of nginx's. */

import { type EChartsCoreOption, init } from "echarts";
import type { Result } from "./result.ts";
import { ratioTargetOf, summarise } from "./summary.ts";

const width = 900;
const barHeight = 46;
const marginHeight = 150;
const labelWidth = 270;

const colours = { bar: "#2f6f9f", nginx: "#7a7a7a", range: "#17405f", target: "#c2571a" } as const;
const font = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";
const labelFont = `12px ${font}`;

type Bar = {
  readonly title: string;
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
  readonly cpuMicros: number;
  readonly target: number | null;
};

/**
 * Draws the product's CPU time per call, as a multiple of nginx's, one bar for each load.
 * @returns SVG text; null when nothing was compared with nginx.
 */
export function drawChart(result: Result): string | null {
  const bars = result.cases.flatMap((one): Bar[] => {
    const ours = summarise(one).find(({ contender }) => contender === "tollgate");
    if (ours === undefined || ours.ratio === null || ours.cpuMicros === null) return [];
    const { middle: ratio, least, most } = ours.ratio;
    const target = ratioTargetOf(one.name);
    return [{ title: one.title, ratio, least, most, cpuMicros: ours.cpuMicros.middle, target }];
  });
  if (bars.length === 0) return null;
  const height = marginHeight + bars.length * barHeight;
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption(optionOf(bars, result));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function optionOf(bars: readonly Bar[], { about }: Result): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: font },
    title: {
      text: "CPU of Tollgate per call, as a multiple of nginx proxy_pass",
      subtext: `token, hold, routing, metering, charge and a durable log row included; ${about.commit}, ${about.date}`,
      left: 16,
      top: 12,
      textStyle: { fontSize: 17, fontFamily: font },
    },
    grid: { left: labelWidth + 24, right: 130, top: 92, bottom: 34 },
    xAxis: { type: "value", min: 0, axisLabel: { formatter: "{value} ×" } },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(({ title }) => title),
      axisTick: { show: false },
      axisLabel: { width: labelWidth, overflow: "break", color: "#222222" },
    },
    series: [barSeries(bars), rangeSeries(bars), targetSeries(bars)],
  };
}

function barSeries(bars: readonly Bar[]): object {
  return {
    type: "bar",
    barWidth: "56%",
    itemStyle: { color: colours.bar },
    data: bars.map(({ ratio }) => round(ratio)),
    markLine: {
      symbol: "none",
      silent: true,
      lineStyle: { color: colours.nginx, type: "dashed", width: 1.5 },
      label: { formatter: "nginx", position: "start", color: colours.nginx },
      data: [{ xAxis: 1 }],
    },
  };
}

/**
 * Draws a line across each bar's end, from the lowest to the highest ratio of any round, and then
 * the bar's label.
 */
function rangeSeries(bars: readonly Bar[]): object {
  return {
    type: "custom",
    z: 5,
    silent: true,
    data: bars.map(({ least, most }, index) => [round(least), round(most), index]),
    encode: { x: [0, 1], y: 2 },
    renderItem(_: unknown, api: CustomApi) {
      const [from = 0, y = 0] = api.coord([api.value(0), api.value(2)]);
      const [to = 0] = api.coord([api.value(1), api.value(2)]);
      const bar = bars[api.value(2)];
      const text =
        bar === undefined ? "" : `${bar.ratio.toFixed(1)} ×  (${whole(bar.cpuMicros)} µs)`;
      const label = {
        text,
        x: to + 10,
        y,
        verticalAlign: "middle",
        fill: "#222222",
        font: labelFont,
      };
      const line = { x1: from, y1: y, x2: to, y2: y };
      return {
        type: "group",
        children: [
          { type: "line", shape: line, style: { stroke: colours.range, lineWidth: 2.5 } },
          { type: "text", style: label },
        ],
      };
    },
  };
}

/** The part of ECharts' interface for custom series that is used here. */
type CustomApi = {
  value(dimension: number): number;
  coord(point: readonly [number, number]): readonly number[];
};

function targetSeries(bars: readonly Bar[]): object {
  return {
    type: "scatter",
    z: 6,
    symbol: "rect",
    symbolSize: [3, 34],
    itemStyle: { color: colours.target },
    label: { show: true, position: "top", distance: 1, color: colours.target, fontSize: 10 },
    data: bars.flatMap(({ target }, index) =>
      target === null
        ? []
        : [{ value: [target, index], label: { formatter: `target ≤ ${target}` } }],
    ),
  };
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/**
 * Rounds to few digits, because more would claim a precision that was not measured, and make the
 * file larger.
 */
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
