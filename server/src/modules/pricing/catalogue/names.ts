/**
 * The names that one model goes by: with a date, `-latest`, a region, a version, a vendor's prefix.
 * A name is only ever compared whole, so that the beginning of a name decides nothing.
 */

/** Vendors whose names others write before a model's: `anthropic/…`, `meta-llama/…`. */
const vendorPrefixes: ReadonlySet<string> = new Set([
  "ai21",
  "alibaba",
  "amazon",
  "anthropic",
  "azure",
  "bedrock",
  "cerebras",
  "cohere",
  "deepseek",
  "deepseek-ai",
  "fireworks",
  "gemini",
  "google",
  "groq",
  "meta",
  "meta-llama",
  "minimax",
  "minimaxai",
  "mistral",
  "mistralai",
  "models",
  "moonshot",
  "moonshotai",
  "nvidia",
  "openai",
  "openrouter",
  "perplexity",
  "qwen",
  "together",
  "vertex",
  "vertex_ai",
  "x-ai",
  "xai",
  "z-ai",
  "zai",
  "zai-org",
  "zhipu",
  "zhipuai",
]);

/** Vendors of Amazon Bedrock, which writes a point after them. */
const pointedVendor =
  /^(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|nvidia|openai|qwen|writer)\./;

const region = /^(?:apac|au|ca|eu|in|jp|us|us-gov)\./;

/**
 * What may be left out at the end of a name. Numbers of four digits, such as `-2402`, are versions
 * of other prices as often as not, so they stay.
 */
const endings: readonly RegExp[] = [
  /-20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/,
  /-20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  /:20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?:-v\d)?$/,
  /@(?:20\d{6}|\d{3}|default|latest)$/,
  /[-:]latest$/,
  // The first version of a model at Bedrock; later ones are other models, unless they have a date.
  /-v1(?::\d{1,2}(?::\d{1,4}k)?)?$/,
  /(?<=-20\d{6})-v\d(?::\d{1,2}(?::\d{1,4}k)?)?$/,
  /:\d$/,
  // The versions of Gemini models that have one price.
  /-00[12]$/,
];

/** The most forms of one name that are tried. */
const formsMax = 60;

/**
 * Returns the forms of a model's name, in lower case: first the name itself, then with ever more
 * left out.
 */
export function formsOf(model: string): string[] {
  const forms = new Set([model.trim().toLowerCase()]);
  // A set gives also what is added while it is read.
  for (const form of forms) {
    if (forms.size >= formsMax) break;
    for (const ending of endings) forms.add(form.replace(ending, ""));
    forms.add(form.replace(region, ""));
    forms.add(form.replace(pointedVendor, ""));
    forms.add(withoutVendor(form));
  }
  forms.delete("");
  return [...forms];
}

function withoutVendor(form: string): string {
  const path = /^(?:publishers\/[^/]{1,40}\/models\/|projects\/.{1,200}\/models\/)/.exec(form);
  if (path !== null) return form.slice(path[0].length);
  const slash = form.indexOf("/");
  return slash > 0 && vendorPrefixes.has(form.slice(0, slash)) ? form.slice(slash + 1) : form;
}

/** The shortest beginning that two names must share for one to be called similar to the other. */
const sharedMin = 4;

/**
 * Finds a similar name, for people to look at: the longest name that is a whole beginning of the
 * model's, else the one with the longest common beginning; undefined: none is similar.
 *
 * @param sorted in the order of their characters.
 * @param forms of the model's name.
 */
export function nearestOf(sorted: readonly string[], forms: readonly string[]): string | undefined {
  for (const form of forms) {
    for (let part = shorter(form); part.length >= sharedMin; part = shorter(part)) {
      if (sorted[placeOf(sorted, part)] === part) return part;
    }
  }
  let best: string | undefined;
  let bestShared = sharedMin - 1;
  for (const form of forms) {
    const at = placeOf(sorted, form);
    for (const name of [sorted[at - 1], sorted[at]]) {
      if (name === undefined) continue;
      const shared = sharedLength(name, form);
      if (shared > bestShared) [best, bestShared] = [name, shared];
    }
  }
  return best;
}

/** Leaves out the last part of a name. */
function shorter(name: string): string {
  let end = name.length - 1;
  while (end > 0 && !separators.has(name[end] ?? "")) end -= 1;
  return name.slice(0, Math.max(end, 0));
}

const separators: ReadonlySet<string> = new Set(["-", ".", ":", "/", "@", "_"]);

function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
