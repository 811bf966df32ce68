/** How much slower this machine is than the one on which limits in milliseconds were set. */

const calibrationMs = 4;

/** A list of objects, as bodies have them. */
const text = JSON.stringify(
  Array.from({ length: 10_000 }, (_, index) => ({ role: "user", content: `text ${index}` })),
);

/** Work of the kind that is judged: it parses, walks, joins and writes. */
function calibrate(): number {
  const before = process.cpuUsage();
  const parsed = JSON.parse(text) as { readonly role: string; readonly content: string }[]; // Safe cast: it was written from these.
  const changed = parsed.map(({ role, content }) => ({ role, parts: [{ text: `${content}.` }] }));
  const written = Buffer.from(JSON.stringify(changed));
  const { user, system } = process.cpuUsage(before);
  return written.length === 0 ? 0 : (user + system) / 1_000;
}

let known = 0;

/** @returns 1 where the machine is as fast, or faster: a fast one does not make limits narrower. */
export function slowness(): number {
  if (known === 0) judgeMachine();
  return known;
}

/** Finds out anew how slow the machine is: others may have begun to work on it. */
export function judgeMachine(): void {
  const least = Math.min(...Array.from({ length: 7 }, calibrate));
  known = Math.max(1, least / calibrationMs);
}
