/** What the relay has kept of conversations, in memory instead of a database. */

import type { RelayDeps } from "#relay/deps.ts";

/** Remembers issuers in memory, as the module does with a database. */
export function openTestIssuers(): RelayDeps["issuers"] {
  const noted = new Map<string, { userId: number; channelId: number; keyMark: string }>();
  const markOf = (key: string): string => `mark of ${key}`;
  return {
    markOf,
    find: async (text) => noted.get(text),
    findAll: async (texts) =>
      new Map(
        texts.flatMap((text) => {
          const issuer = noted.get(text);
          return issuer === undefined ? [] : [[text, issuer] as const];
        }),
      ),
    give(texts, { userId, channelId, key }) {
      const fresh = texts.filter((text) => !noted.has(text));
      for (const text of fresh) noted.set(text, { userId, channelId, keyMark: markOf(key) });
      return fresh.length === 0 ? null : { marks: fresh, keyMark: markOf(key) };
    },
    note(texts, { userId, channelId, key }) {
      for (const text of texts) noted.set(text, { userId, channelId, keyMark: markOf(key) });
    },
  };
}

/** Keeps answers in memory, as the module does with a database. */
export function openTestAnswers(): RelayDeps["answers"] {
  const kept = new Map<string, { readonly input: string; readonly answer: string }>();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return {
    find: async (id, userId) => kept.get(`${userId} ${id}`) ?? null,
    keep: ({ id, userId, input, answer }) =>
      void kept.set(`${userId} ${id}`, { input: text(input), answer: text(answer) }),
    remove: async (id, userId) => kept.delete(`${userId} ${id}`),
  };
}
