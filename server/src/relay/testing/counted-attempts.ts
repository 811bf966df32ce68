import type { RelayDeps } from "#relay/deps.ts";

/** Makes the counter of attempts, which writes them down in words. */
export function countedIn(attempts: string[]): RelayDeps["attempts"] {
  const again = (isRetry: boolean): string => (isRetry ? ", a retry" : "");
  return {
    answered(id, model, isRetry, firstByteMs) {
      const time = firstByteMs >= 0 ? "in time" : "before it began";
      attempts.push(`${id} ${model} answered ${time}${again(isRetry)}`);
    },
    failed: (id, model, isRetry, code) =>
      void attempts.push(`${id} ${model} ${code}${again(isRetry)}`),
    broke: (id, model) => void attempts.push(`${id} ${model} broke off`),
  };
}
