/**
 * What a program needs to call the gateway, as the page “Connect” shows it and as tests run it: the
 * same texts for both.
 */

/** The formats that programs speak, by what their makers call them. */
export const wireNames = {
  chat: "OpenAI Chat Completions",
  responses: "OpenAI Responses",
  messages: "Anthropic Messages",
  gemini: "Gemini generateContent",
} as const;
export type Wire = keyof typeof wireNames;

export type ConnectValues = {
  /** The server's address, without a slash at the end. */
  readonly origin: string;
  /** The key, with the prefix `sk-`. */
  readonly key: string;
  readonly model: string;
};

/** One thing to copy: a file, a setting of a window, or code. */
export type Block =
  | {
      readonly kind: "file";
      /** Its path below the user's home, or a name alone. */
      readonly path: string;
      readonly language: string;
      readonly text: string;
    }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "fields"; readonly fields: readonly Field[] };

/** A field of another program's window, by the name that it has there. */
type Field = { readonly label: string; readonly value: string; readonly secret?: true };

/** A change of one of an agent's own files; the rest of the file stays. */
export type FileChange =
  | { readonly path: string; readonly json: object }
  | { readonly path: string; readonly lines: Readonly<Record<string, string>> }
  | {
      readonly path: string;
      /** Values at the top of a TOML file, and those of one table of it. */
      readonly top: Readonly<Record<string, string>>;
      readonly table: string;
      readonly values: Readonly<Record<string, string>>;
    };

export type Client = {
  readonly id: string;
  readonly name: string;
  readonly kind: "agent" | "app" | "sdk";
  readonly wire: Wire;
  /** Parts of the names of models that it is made for, best first. */
  readonly prefers: readonly string[];
  /** How it is installed from a registry; empty: it is not. */
  readonly install: string;
  /** Changes of its own files, which its script makes; empty: it has no script. */
  changes(values: ConnectValues): readonly FileChange[];
  blocks(values: ConnectValues): readonly Block[];
  /** How it is started afterwards; empty: as always. */
  readonly run: string;
};

/** The base URL that programs of a format are given; they add the rest of the path. */
export function baseUrlOf(wire: Wire, origin: string): string {
  return wire === "chat" || wire === "responses" ? `${origin}/v1` : origin;
}

/**
 * Writes a text as a literal: JSON's notation of strings is also valid in Python, JavaScript, TOML
 * and YAML.
 */
export function textOf(value: string): string {
  return JSON.stringify(value);
}
