/**
 * Example code that sends the conversation's request from a program, with a token's key in place of
 * the browser's session.
 */

/** Stands in the example code for the user's own key. */
export const placeholderKey = "sk-your-token";

type CodeRequest = {
  /** The server's origin, without a slash at the end. */
  readonly origin: string;
  readonly model: string;
  readonly messages: readonly object[];
  readonly temperature: number;
  /** 0: no limit. */
  readonly maxTokens: number;
};

export const codeLanguages = ["curl", "python", "node"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/**
 * The part of a picture's data that the code shows, in characters; all of it would hide the rest.
 */
const pictureMax = 64;

export function showCode(language: CodeLanguage, request: CodeRequest): string {
  switch (language) {
    case "curl":
      return showCurl(request);
    case "python":
      return showPython(request);
    case "node":
      return showNode(request);
  }
}

function bodyOf({ model, messages, temperature, maxTokens }: CodeRequest): object {
  const limit = maxTokens > 0 ? { max_tokens: maxTokens } : {};
  return { model, messages, temperature, ...limit, stream: true };
}

function jsonOf(value: object): string {
  return JSON.stringify(
    value,
    (_, text: unknown) =>
      typeof text === "string" && text.startsWith("data:image/")
        ? `${text.slice(0, pictureMax)}...`
        : text,
    2,
  );
}

function showCurl(request: CodeRequest): string {
  // Escapes quotes for the shell: each ends the string, is added escaped, and begins a new string.
  const body = jsonOf(bodyOf(request)).replaceAll("'", `'\\''`);
  return [
    `curl -N ${request.origin}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${placeholderKey}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join("\n");
}

/**
 * Writes the request as Python code. JSON's `true`, `false` and `null` are not valid Python; only
 * `true` can occur outside of strings here, and it is written separately.
 */
function showPython(request: CodeRequest): string {
  const { stream: _, ...fields } = { stream: true, ...bodyOf(request) };
  const lines = Object.entries(fields).map(
    ([name, value]) => `    ${name}=${indent(jsonOf(value as object))},`,
  );
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${request.origin}/v1", api_key="${placeholderKey}")`,
    "",
    "stream = client.chat.completions.create(",
    ...lines,
    "    stream=True,",
    ")",
    "for chunk in stream:",
    "    if chunk.choices:",
    '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
  ].join("\n");
}

function showNode(request: CodeRequest): string {
  const { stream: _, ...fields } = { stream: true, ...bodyOf(request) };
  const lines = Object.entries(fields).map(
    ([name, value]) => `  ${name}: ${indent(jsonOf(value as object), "  ")},`,
  );
  return [
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: "${request.origin}/v1", apiKey: "${placeholderKey}" });`,
    "",
    "const stream = await client.chat.completions.create({",
    ...lines,
    "  stream: true,",
    "});",
    "for await (const chunk of stream) {",
    '  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");',
    "}",
  ].join("\n");
}

function indent(text: string, by = "    "): string {
  return text.replaceAll("\n", `\n${by}`);
}
