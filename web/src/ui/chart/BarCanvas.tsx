/** Stacked bars on a canvas. Loaded only with a chart that is shown. */

import { type MouseEvent, useEffect, useRef, useState } from "react";
import { type ChartColours, colourOf, useChartColours } from "./chart-colours.ts";
import type { BarChartData } from "./chart-data.ts";
import { type BarLayout, bucketAt, drawnValue, heightOf, layOut, seriesAt } from "./bar-layout.ts";
import { useBrush } from "./use-brush.ts";

type Drawing = {
  readonly data: BarChartData;
  /** Names of the series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  /** Writes a value for the axis and the tooltip. */
  readonly show: (value: number) => string;
};

export function BarCanvas(
  props: Drawing & {
    readonly onPick?: ((bucket: number, series: number) => void) | undefined;
    /** Called with the first and the last bar over which the pointer was dragged. */
    readonly onBrush?: ((first: number, last: number) => void) | undefined;
    /** Whether the chart stands above what it is about, and takes less room. */
    readonly isLow?: boolean;
  },
) {
  const { data, hidden, show, onPick, onBrush, isLow = false } = props;
  const count = data.buckets.length;
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const layout = useRef<BarLayout | null>(null);
  const size = useSize(canvas);
  const colours = useChartColours();
  const [over, setOver] = useState<{ readonly bucket: number; readonly x: number } | null>(null);
  const bucketOf = (x: number): number =>
    layout.current === null ? 0 : bucketAt(layout.current, x, count);
  const brush = useBrush(bucketOf, count, onBrush);
  const bucket = over === null || over.bucket >= count ? null : over.bucket;

  useEffect(() => {
    const element = canvas.current;
    if (element === null || size === null) return;
    layout.current = draw(element, { data, hidden, show }, { ...size, colours, bucket });
  }, [data, hidden, show, size, colours, bucket]);

  function pick(event: MouseEvent<HTMLElement>): void {
    const box = event.currentTarget.getBoundingClientRect();
    if (layout.current === null || onPick === undefined || brush.box !== null) return;
    const at = bucketOf(event.clientX - box.left);
    const y = event.clientY - box.top;
    const series = seriesAt(layout.current, data, hidden, { bucket: at, y });
    if (series !== null) onPick(at, series);
  }

  return (
    <div className="relative touch-pan-y" {...brush.handlers}>
      <canvas
        ref={canvas}
        className={`block w-full cursor-pointer ${isLow ? "h-40" : "h-64"}`}
        onClick={pick}
        onMouseMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
          setOver({ bucket: bucketOf(x), x });
        }}
        onMouseLeave={() => setOver(null)}
      />
      {bucket !== null && over !== null && brush.box === null && (
        <Tip
          data={data}
          hidden={hidden}
          show={show}
          bucket={bucket}
          isLeft={over.x * 2 > (size?.width ?? 0)}
        />
      )}
      {brush.box !== null && (
        <div
          aria-hidden
          className="pointer-events-none absolute inset-y-0 border-x border-accent-solid bg-accent-soft opacity-60"
          style={brush.box}
        />
      )}
    </div>
  );
}

/** The most series that a tooltip lists; the largest come first. */
const tooltipMax = 12;

/** What the bar under the pointer has; it stands at the side where the pointer is not. */
function Tip(props: Drawing & { readonly bucket: number; readonly isLeft: boolean }) {
  const { data, hidden, show, bucket, isLeft } = props;
  const lines = data.series
    .map(({ name, place }, series) => {
      return { name, place, value: drawnValue(data, hidden, { series, bucket }) };
    })
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value);
  const sum = lines.reduce((total, { value }) => total + value, 0);
  return (
    <div
      aria-hidden
      className={`pointer-events-none absolute top-2 z-10 max-w-1/2 rounded-md border border-line bg-panel px-2 py-1 text-xs tabular-nums shadow-md ${isLeft ? "left-2" : "right-2"}`}
    >
      <div className="flex justify-between gap-3 font-medium">
        <span>{data.buckets[bucket]?.exact}</span>
        <span>{show(sum)}</span>
      </div>
      {lines.slice(0, tooltipMax).map(({ name, value }) => (
        <div key={name} className="flex justify-between gap-3">
          <bdi className="min-w-0 truncate">{name}</bdi>
          <span>{show(value)}</span>
        </div>
      ))}
    </div>
  );
}

type Size = { readonly width: number; readonly height: number };

/** The size of the canvas in pixels of the page; null: it has none yet. */
function useSize(canvas: { readonly current: HTMLCanvasElement | null }): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((now) => (now?.width === width && now.height === height ? now : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas]);
  return size;
}

const font = "11px system-ui, sans-serif";

/** Draws the chart. Returns where its parts stand; null: the browser draws nothing. */
function draw(
  canvas: HTMLCanvasElement,
  { data, hidden, show }: Drawing,
  { width, height, colours, bucket }: Size & Marked,
): BarLayout | null {
  const context = canvas.getContext("2d");
  if (context === null || width === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = font;
  const widthOf = (value: number): number => context.measureText(show(value)).width;
  const layout = layOut(data, hidden, { width, height, widthOf });
  drawValues(context, layout, show, colours);
  drawTimes(context, layout, data, colours);
  if (bucket !== null) {
    context.globalAlpha = 0.4;
    context.fillStyle = colours.line;
    const { left, step, top, bottom } = layout;
    context.fillRect(left + bucket * step, top, step, bottom - top);
    context.globalAlpha = 1;
  }
  drawBars(context, layout, { data, hidden }, colours);
  return layout;
}

type Marked = {
  readonly colours: ChartColours;
  /** The bar under the pointer; null: none. */
  readonly bucket: number | null;
};

function drawValues(
  context: CanvasRenderingContext2D,
  layout: BarLayout,
  show: (value: number) => string,
  colours: ChartColours,
): void {
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of layout.ticks) {
    const y = Math.round(heightOf(layout, tick)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(layout.left, y, layout.right - layout.left, 1);
    context.fillStyle = colours.muted;
    context.fillText(show(tick), layout.left - 6, y);
  }
}

/** Writes the labels of the time for which there is room. */
function drawTimes(
  context: CanvasRenderingContext2D,
  { bottom, left, right, step }: BarLayout,
  { buckets }: BarChartData,
  colours: ChartColours,
): void {
  const widest = Math.max(0, ...buckets.map(({ label }) => context.measureText(label).width));
  const every = Math.max(1, Math.ceil((widest + 12) / step));
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillStyle = colours.muted;
  // The first label and the last are moved into the chart, so the next one may be too near.
  let free = left;
  for (let at = 0; at < buckets.length; at += every) {
    const label = buckets[at]?.label ?? "";
    const half = context.measureText(label).width / 2;
    const x = Math.min(right - half, Math.max(left + half, left + (at + 0.5) * step));
    if (x - half < free) continue;
    context.fillText(label, x, bottom + 6);
    free = x + half + 6;
  }
}

function drawBars(
  context: CanvasRenderingContext2D,
  layout: BarLayout,
  { data, hidden }: Pick<Drawing, "data" | "hidden">,
  colours: ChartColours,
): void {
  for (const bucket of data.buckets.keys()) {
    const x = layout.left + bucket * layout.step + (layout.step - layout.bar) / 2;
    let sum = 0;
    for (const [series, { place }] of data.series.entries()) {
      const value = drawnValue(data, hidden, { series, bucket });
      if (value === 0) continue;
      const [from, to] = [heightOf(layout, sum), heightOf(layout, sum + value)];
      context.fillStyle = colourOf(colours, place);
      // A line between two series, as far as there is room for one.
      context.fillRect(x, to, layout.bar, Math.max(0.5, from - to - 0.5));
      sum += value;
    }
  }
}
