/** The error messages that are open, in a file without the code that draws messages. */

type OpenFault = { readonly shownAt: number; readonly close: () => void };

const faults = new Map<string, OpenFault>();

/** Notes an error message that is shown, or shown once more. */
export function noteFault(id: string, close: () => void): void {
  faults.set(id, { shownAt: performance.now(), close });
}

export function forgetFault(id: string): void {
  faults.delete(id);
}

/**
 * Milliseconds for which an error toast survives a change of page, because the error may be the
 * reason for the change.
 */
const freshMs = 3_000;

/** Closes the error toasts of a page that the user has left, except new ones. */
export function leaveFaults(): void {
  closeFaults(freshMs);
}

/**
 * How old an error toast is at least that a later success closes, in milliseconds: a younger one is
 * of another action, because nobody reads and mends an error as quickly.
 */
const readMs = 1_000;

/** Closes the error toasts that the user has had time to read and mend, once a change succeeds. */
export function mendFaults(): void {
  closeFaults(readMs);
}

/** Closes the error toasts that have been shown for so many milliseconds. */
export function closeFaults(ageMs: number): void {
  const shownBefore = performance.now() - ageMs;
  for (const { shownAt, close } of faults.values()) if (shownAt <= shownBefore) close();
}
