/**
 * Joins the base URL of a channel with the path of a call. Administrators paste what vendors print:
 * the root of the API with its version, or the full address of one call.
 */

/** Ends of addresses that name a call, so that a root of an API stands before them. */
const callEnds: readonly string[] = [
  "/audio/speech",
  "/audio/transcriptions",
  "/audio/translations",
  "/chat/completions",
  "/completions",
  "/embeddings",
  "/images/edits",
  "/images/generations",
  "/messages",
  "/messages/count_tokens",
  "/models",
  "/moderations",
  "/realtime",
  "/rerank",
  "/responses",
  "/responses/compact",
].toSorted((one, other) => other.length - one.length);

const versionForm = /^v\d[a-z\d]*$/;

/** @param ownPaths the paths of all calls that the server has. */
export function joinUrl(baseUrl: string, path: string, ownPaths: readonly string[]): string {
  // The base URL is the complete address.
  if (path === "") return baseUrl;
  const bare = withoutCall(baseUrl, ownPaths);
  if (bare !== baseUrl) return bare + path;
  const { root: named, isExact } = rootOf(baseUrl);
  const root = namesModel.test(path) ? withoutLayer(named) : named;
  const own = ownPaths.map(versionOf).filter((version) => version !== "");
  const version = versionOf(path);
  const repeated = own
    .toSorted((one, other) => other.length - one.length)
    .find((each) => root.endsWith(each));
  if (repeated !== undefined) return root.slice(0, -repeated.length) + path;
  // The root that the full address of a call names is that of all calls.
  if (version !== "" && (isExact || endsVersioned(root))) return root + path.slice(version.length);
  return withoutOverlap(root, path) + path;
}

/** Paths of Google's own calls, which stand beside its layer for OpenAI's clients. */
const namesModel = /\/models\/[^/]+:/;

/** Removes the layer for OpenAI's clients behind a version: `/v1beta/openai` is `/v1beta`. */
function withoutLayer(root: string): string {
  const segments = root.split("/");
  const isLayer = segments.at(-1) === "openai" && versionForm.test(segments.at(-2) ?? "");
  return isLayer ? segments.slice(0, -1).join("/") : root;
}

/** Removes one of the server's own paths from the end of an address. */
function withoutCall(baseUrl: string, ownPaths: readonly string[]): string {
  const segments = baseUrl.split("/");
  const lengths = ownPaths.map((path) => matchedEnd(segments, path));
  const longest = Math.max(0, ...lengths);
  return longest === 0 ? baseUrl : segments.slice(0, -longest).join("/");
}

/**
 * Returns how many segments of an address the path is at its end, after the host; 0: it is none. A
 * path of one segment may as well be the name of a folder.
 */
function matchedEnd(segments: readonly string[], path: string): number {
  const [plain = ""] = path.split("?");
  const own = plain.split("/").slice(1);
  if (own.length < 2 || segments.length - own.length < 3) return 0;
  const from = segments.length - own.length;
  const isSame = own.every((form, at) => matches(form, segments[from + at] ?? ""));
  return isSame ? own.length : 0;
}

/** Whether a segment has the form of one, in which `{…}` stands for any name. */
function matches(form: string, segment: string): boolean {
  const open = form.indexOf("{");
  if (open < 0) return form === segment;
  const [before, after] = [form.slice(0, open), form.slice(form.indexOf("}") + 1)];
  const isLonger = segment.length > before.length + after.length;
  return isLonger && segment.startsWith(before) && segment.endsWith(after);
}

/** Returns the beginning of a path up to its version, such as `/v1`; empty: it has none. */
function versionOf(path: string): string {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => versionForm.test(segment));
  return at < 0 || at === segments.length - 1 ? "" : segments.slice(0, at + 1).join("/");
}

/** Cuts the name of a call off an address. `isExact`: there was one. */
function rootOf(baseUrl: string): { readonly root: string; readonly isExact: boolean } {
  const segments = baseUrl.split("/");
  const first = 3; // after scheme, nothing and host
  const at = segments.findIndex(
    (segment, index) =>
      index >= first && isPlace(segment, segments[index + 1] ?? "", segments[index + 2] ?? ""),
  );
  // What follows names the model or the project of one call; it begins with the version, if any.
  if (at >= 0) {
    const isVersioned = versionForm.test(segments[at - 1] ?? "");
    return { root: segments.slice(0, isVersioned ? at - 1 : at).join("/"), isExact: false };
  }
  const isCut = segments.at(-1) === "chat" && versionForm.test(segments.at(-2) ?? "");
  const end = isCut ? "/chat" : callEnds.find((each) => baseUrl.endsWith(each));
  return end === undefined
    ? { root: baseUrl, isExact: false }
    : { root: baseUrl.slice(0, -end.length), isExact: true };
}

/** Whether segments of a path name the place of a model: `models/m:generateContent` and the like. */
function isPlace(segment: string, next: string, afterNext: string): boolean {
  switch (segment) {
    case "model":
      return /^(?:converse|invoke)/.test(afterNext);
    case "models":
      return next.includes(":");
    case "openai":
      return next === "deployments";
    case "projects":
      return afterNext === "locations";
    case "publishers":
      return true;
    default:
      return false;
  }
}

/**
 * Whether the root of an API has a version of its own at its end, or before the layer for OpenAI's
 * clients, so that the version of the path must not follow.
 */
function endsVersioned(root: string): boolean {
  const segments = root.split("/").slice(3);
  const last = segments.at(-1) ?? "";
  return versionForm.test(last === "openai" ? (segments.at(-2) ?? "") : last);
}

/** First segments of paths that are roots of an API, and not the name of a call. */
const sharedRoots: ReadonlySet<string> = new Set(["api", "mj", "openai"]);

/** Removes the end of the root that the path begins with: `/api` before `/api/chat`. */
function withoutOverlap(root: string, path: string): string {
  const [, first = ""] = path.split("/");
  const isRepeated = sharedRoots.has(first) && root.split("/").slice(3).at(-1) === first;
  return isRepeated ? root.slice(0, -first.length - 1) : root;
}
