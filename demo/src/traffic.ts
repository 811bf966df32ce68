/**
 * Calls that the demo makes itself, through the gateway and with a key, so that the home page shows
 * some before the first visitor makes one.
 */

/** The calls in their order; after the last one the first comes again. */
const calls = [
  { model: "demo-chat", max_tokens: 40, content: "What does a token cost?" },
  { model: "demo-think", max_tokens: 36, content: "Explain step by step how a call is charged." },
  { model: "demo-fast", max_tokens: 12, content: "Say yes or no." },
  { model: "demo-chat", max_tokens: 27, content: "Translate this sentence into three languages." },
  {
    model: "demo-fast",
    max_tokens: 40,
    content: "Write a release note for a gateway that bills every call to the last digit.",
  },
  { model: "demo-think", max_tokens: 52, content: "Which of two models is cheaper, and why?" },
] as const;

/**
 * Returns a function that makes the next call and reads its answer to the end.
 *
 * @param gateway the gateway's origin, and a key with `sk-`.
 */
export function openTraffic(gateway: {
  readonly origin: string;
  readonly key: string;
}): () => Promise<void> {
  let next = 0;
  return async () => {
    const { content, ...rest } = calls[next % calls.length] ?? calls[0];
    next += 1;
    const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.key}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...rest, stream: true, messages: [{ role: "user", content }] }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${text}`);
  };
}
