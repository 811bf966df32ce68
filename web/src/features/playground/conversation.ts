/** A conversation as plain data: its messages, how they change, and which of them are sent. */

import { z } from "zod";

/** A picture in a message, as a `data:` URL. */
const image = z.string().startsWith("data:image/");

const question = z.object({
  role: z.literal("user"),
  id: z.string(),
  content: z.string(),
  images: z.array(image),
});
export type Question = z.infer<typeof question>;

/**
 * The cost of a call, as its log row has it. `quota` is in quota units, `input` and `output` are
 * tokens.
 */
const answerCharge = z.object({ quota: z.number(), input: z.number(), output: z.number() });
export type AnswerCharge = z.infer<typeof answerCharge>;

const answer = z.object({
  role: z.literal("assistant"),
  id: z.string(),
  content: z.string(),
  /** The reasoning that the model wrote before its answer. */
  reasoning: z.string(),
  /** The specification's four states. `incomplete`: the answer is being written, or was stopped. */
  status: z.enum(["loading", "incomplete", "complete", "error"]),
  fault: z.object({ message: z.string(), code: z.string() }).nullable(),
  requestId: z.string().nullable(),
  model: z.string(),
  group: z.string(),
  /**
   * Milliseconds from the question to the answer's first text and to its end; null: not reached.
   */
  firstMs: z.number().nullable(),
  totalMs: z.number().nullable(),
  /** The cost of the call; null: unknown. */
  charge: answerCharge.nullable(),
});
export type Answer = z.infer<typeof answer>;

export type Message = Question | Answer;

/** A conversation as it is stored in the browser. */
export const conversation = z.object({
  id: z.string(),
  /** Time of the last change in Unix milliseconds. */
  changedAt: z.number(),
  /** The system prompt; empty: none. */
  system: z.string(),
  messages: z.array(z.discriminatedUnion("role", [question, answer])),
});
export type Conversation = z.infer<typeof conversation>;

/** The largest number of messages of a conversation. A question that would exceed it is refused. */
export const messagesMax = 400;

/** The largest length of a system prompt and of a message, in characters. */
export const textMax = 200_000;

/** The longest title, in characters. */
const titleMax = 40;

/** Returns the conversation's title: the beginning of its first question; empty: it has none. */
export function titleOf({ messages }: Conversation): string {
  const first = messages.find(({ role }) => role === "user");
  return [...(first?.content.trim() ?? "").replaceAll(/\s+/g, " ")].slice(0, titleMax).join("");
}

/**
 * Returns the messages as the API takes them. Answers without text, such as failed ones, are left
 * out.
 */
export function sentMessages(system: string, messages: readonly Message[]): readonly object[] {
  const said = messages.flatMap((message): object[] => {
    if (message.role === "user") return [{ role: "user", content: sentContent(message) }];
    return message.content === "" ? [] : [{ role: "assistant", content: message.content }];
  });
  return system.trim() === "" ? said : [{ role: "system", content: system }, ...said];
}

function sentContent({ content, images }: Question): string | readonly object[] {
  if (images.length === 0) return content;
  const pictures = images.map((url) => ({ type: "image_url", image_url: { url } }));
  return content === "" ? pictures : [{ type: "text", text: content }, ...pictures];
}

/**
 * Returns the messages up to the question that an answer belongs to; undefined: there is no such
 * question.
 */
export function askedBefore(
  messages: readonly Message[],
  answerId: string,
): readonly Message[] | undefined {
  const at = messages.findIndex(({ id }) => id === answerId);
  const question = messages.slice(0, Math.max(0, at)).findLastIndex(({ role }) => role === "user");
  return question < 0 ? undefined : messages.slice(0, question + 1);
}

/** Returns the messages up to the last question, as they were sent to get its answer. */
export function lastAsked(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "user") + 1);
}

/** Returns the messages up to a question, with the question's text replaced. */
export function editedAt(
  messages: readonly Message[],
  questionId: string,
  content: string,
): readonly Message[] {
  const at = messages.findIndex(({ id }) => id === questionId);
  const question = messages[at];
  if (question === undefined || question.role !== "user") return messages;
  return [...messages.slice(0, at), { ...question, content }];
}

export function withMessage(
  messages: readonly Message[],
  id: string,
  change: Partial<Answer>,
): readonly Message[] {
  return messages.map((message) =>
    message.id === id && message.role === "assistant" ? { ...message, ...change } : message,
  );
}

/**
 * Marks answers that were interrupted, by a stop or a reload, as incomplete; their text is kept.
 */
export function settled(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.role === "assistant" && message.status === "loading"
      ? { ...message, status: "incomplete" }
      : message,
  );
}
