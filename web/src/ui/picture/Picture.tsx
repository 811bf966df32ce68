/**
 * Small pictures for places without content, all of one family: a lane seen from above, a gate
 * across it, and what comes along. Decoration only, because the text beside a picture says the same.
 */

import type { ReactNode } from "react";

/**
 * - `quiet`: nothing has come yet
 * - `sieve`: nothing matches
 * - `passing`: something passes
 * - `talk`: a conversation can begin
 * - `closed`: it is not allowed
 * - `lost`: there is no such page
 * - `broken`: something failed
 * - `away`: there is no connection
 */
export type PictureName =
  | "quiet"
  | "sieve"
  | "passing"
  | "talk"
  | "closed"
  | "lost"
  | "broken"
  | "away";

export function Picture(props: {
  readonly name: PictureName;
  readonly large?: boolean | undefined;
}) {
  const { name, large = false } = props;
  return (
    <svg
      aria-hidden
      data-picture={name}
      viewBox="0 0 176 96"
      width={large ? 264 : 176}
      height={large ? 144 : 96}
      fill="none"
      strokeWidth={1.5}
      strokeLinecap="round"
      className="shrink-0"
    >
      {drawings[name]}
    </svg>
  );
}

const drawings: Readonly<Record<PictureName, ReactNode>> = {
  quiet: (
    <>
      <Lane dashed />
      <Slip x={8} ghost />
      <Slip x={128} ghost />
      <Gate open />
    </>
  ),
  sieve: (
    <>
      {[20, 48, 76].map((y) => (
        <g key={y}>
          <path d={`M0 ${y}H176`} strokeDasharray="2 6" className="stroke-control" />
          <Slip x={y === 48 ? 6 : 18} y={y} ghost />
        </g>
      ))}
      <path d="m126 66 16 16" strokeWidth={5} className="stroke-mark" />
      <circle cx="108" cy="48" r="25" strokeWidth={2} className="fill-panel stroke-mark" />
      <path d="M92 48h32" strokeDasharray="2 6" className="stroke-control" />
    </>
  ),
  passing: (
    <>
      <Lane />
      <Slip x={8} />
      <Slip x={128} paid />
      <Gate open />
    </>
  ),
  talk: (
    <>
      <Lane dashed />
      <path
        d="M12 32h40a5 5 0 0 1 5 5v18a5 5 0 0 1-5 5H26l-9 8v-8h-5a5 5 0 0 1-5-5V37a5 5 0 0 1 5-5Z"
        className="fill-panel stroke-mark"
      />
      <path d="M16 42h30m-30 8h19" className="stroke-control" />
      <path
        d="M164 32h-40a5 5 0 0 0-5 5v18a5 5 0 0 0 5 5h26l9 8v-8h5a5 5 0 0 0 5-5V37a5 5 0 0 0-5-5Z"
        className="fill-accent-soft stroke-accent-line"
      />
      <path d="M128 42h30m-30 8h22" className="stroke-accent-line" />
      <Gate open />
    </>
  ),
  closed: (
    <>
      <Lane dashed />
      <Slip x={8} word="403" />
      <Gate />
    </>
  ),
  lost: (
    <>
      <path d="M0 48H88" className="stroke-control" />
      <path d="M98 48h78" strokeDasharray="1 9" className="stroke-control" />
      <Slip x={128} word="404" ghost />
      <Gate open />
    </>
  ),
  broken: (
    <>
      <Lane />
      <Slip x={128} word="500" failed />
      <Gate open />
    </>
  ),
  away: (
    <>
      <path d="M0 48H72m32 0h72" className="stroke-control" />
      <Slip x={8} />
      <Slip x={128} ghost />
      <path d="m80 40 4 16m12-16 4 16" className="stroke-mark" />
    </>
  ),
};

function Lane({ dashed = false }: { readonly dashed?: boolean }) {
  return (
    <path
      d="M0 48H176"
      {...(dashed ? { strokeDasharray: "2 6" } : {})}
      className="stroke-control"
    />
  );
}

/** Two booths with the lane between them; the arm is raised, or across the lane. */
function Gate({ open = false }: { readonly open?: boolean }) {
  return (
    <>
      <rect x="79" y="6" width="18" height="22" rx="4" className="fill-panel stroke-mark" />
      <rect x="79" y="68" width="18" height="22" rx="4" className="fill-panel stroke-mark" />
      <path
        d={open ? "m88 28 33 10" : "M88 28v40"}
        strokeWidth={3.5}
        className={open ? "stroke-accent-solid" : "stroke-mark"}
      />
      <circle cx="88" cy="28" r="3" className="fill-panel stroke-mark" />
    </>
  );
}

/** What travels along the lane: a slip of paper with two lines, or with a word. */
function Slip(props: {
  readonly x: number;
  readonly y?: number;
  readonly word?: string;
  readonly ghost?: boolean;
  readonly paid?: boolean;
  readonly failed?: boolean;
}) {
  const { x, y = 48, word, ghost = false, paid = false, failed = false } = props;
  const look = failed
    ? "fill-danger-soft stroke-danger-line"
    : paid
      ? "fill-accent-soft stroke-accent-line"
      : ghost
        ? "fill-panel stroke-control"
        : "fill-panel stroke-mark";
  const ink = failed ? "fill-danger-ink" : "fill-muted";
  return (
    <>
      <rect
        x={x}
        y={y - 11}
        width="44"
        height="22"
        rx="5"
        {...(ghost ? { strokeDasharray: "3 4" } : {})}
        className={look}
      />
      {word === undefined ? (
        !ghost && (
          <path
            d={`M${x + 9} ${y - 3.5}h26m-26 7h15`}
            className={paid ? "stroke-accent-line" : "stroke-control"}
          />
        )
      ) : (
        <text
          x={x + 22}
          y={y + 4}
          textAnchor="middle"
          className={`font-mono text-xs font-medium ${ink}`}
        >
          {word}
        </text>
      )}
    </>
  );
}
