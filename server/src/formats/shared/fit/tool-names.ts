import { hashText } from "#base/secrets.ts";
import type { CanonicalRequest, Item, Tool, ToolChoice } from "#canonical/request.ts";

/** Names that all upstreams take: OpenAI and Amazon allow no other, Google no digit in front. */
const legalName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const nameLengthMax = 64;
/** Letters of a hash that tell names apart which are alike once they are cut. */
const hashLength = 8;

/** A request whose names all upstreams take, and the client's names by those that are sent. */
type Renamed = {
  readonly request: CanonicalRequest;
  readonly ownNames: ReadonlyMap<string, string>;
};

/**
 * Gives tools names that the upstream takes where the client's are too long or have other
 * characters. Equal requests get equal names, so that the upstream finds them in its cache.
 */
export function renameTools(request: CanonicalRequest): Renamed {
  const used = new Set<string>();
  const illegal = new Set<string>();
  for (const name of namesIn(request)) {
    if (name !== "") (legalName.test(name) ? used : illegal).add(name);
  }
  if (illegal.size === 0) return { request, ownNames: new Map() };
  const sent = new Map<string, string>();
  const ownNames = new Map<string, string>();
  for (const name of illegal) {
    const made = makeName(name, used);
    used.add(made);
    sent.set(name, made);
    ownNames.set(made, name);
  }
  const nameOf = (name: string): string => sent.get(name) ?? name;
  return {
    request: {
      ...request,
      tools: request.tools.map((tool) => renamed(tool, nameOf)),
      items: request.items.map((item) => renamedItem(item, nameOf)),
      toolChoice: request.toolChoice === null ? null : renamedChoice(request.toolChoice, nameOf),
    },
    ownNames,
  };
}

function namesIn({ items, tools, toolChoice }: CanonicalRequest): readonly string[] {
  return [
    ...tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name])),
    ...items.flatMap((item) =>
      item.type === "tool-call" || item.type === "tool-result" ? [item.name] : [],
    ),
    ...(toolChoice?.type === "tool" ? [toolChoice.name] : []),
    ...(toolChoice?.type === "subset" ? toolChoice.names : []),
  ];
}

function makeName(name: string, used: ReadonlySet<string>): string {
  // What is cut off is not read.
  const plain = name.slice(0, nameLengthMax + 1).replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const begun = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  if (begun.length <= nameLengthMax && !used.has(begun)) return begun;
  const cut = begun.slice(0, nameLengthMax - hashLength - 1);
  for (let count = 0; ; count += 1) {
    const hash = hashText(`${count} ${name}`);
    const made = `${cut}_${hash.slice(0, hashLength)}`;
    if (!used.has(made)) return made;
  }
}

function renamed(tool: Tool, nameOf: (name: string) => string): Tool {
  return tool.type === "hosted" ? tool : { ...tool, name: nameOf(tool.name) };
}

function renamedItem(item: Item, nameOf: (name: string) => string): Item {
  const isNamed = item.type === "tool-call" || item.type === "tool-result";
  return isNamed ? { ...item, name: nameOf(item.name) } : item;
}

function renamedChoice(choice: ToolChoice, nameOf: (name: string) => string): ToolChoice {
  if (choice.type === "tool") return { ...choice, name: nameOf(choice.name) };
  return choice.type === "subset" ? { ...choice, names: choice.names.map(nameOf) } : choice;
}
