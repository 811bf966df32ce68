/**
 * Finds which tools the last answer in a request has called: the request brings their results. It
 * looks at what stands behind that answer alone, and only where a request has tools.
 */

/** What stands before the calls of an answer, in each format; texts have other quotes around it. */
const callWords = ['"tool_use"', '"function"', '"functionCall"', '"function_call"'].map((word) =>
  Buffer.from(word),
);
const resultWord = Buffer.from('"function_call_output"');
const itemWord = Buffer.from('"function_call"');
const answerWords = ['"assistant"', '"model"'].map((word) => Buffer.from(word));

/** The most names that are kept of one answer, and the longest. */
const namesMax = 8;
const nameMax = 64;
/** How many calls of an answer are looked at. */
const looksMax = 64;
/** How far behind such a word the name of its tool is looked for, in bytes. */
const reachBytes = 4_096;

/**
 * @param messages the bytes of the field with the messages.
 * @returns the names, each once, in their order.
 */
export function toolNames(messages: Buffer): readonly string[] {
  const names = new Set<string>();
  const from = answerAt(messages);
  if (from < 0) return [];
  let looks = 0;
  for (const word of callWords) {
    for (let at = messages.indexOf(word, from); at >= 0; at = messages.indexOf(word, at + 1)) {
      looks += 1;
      if (looks > looksMax) return [...names];
      const end = Math.min(messages.length, at + reachBytes);
      const [, name = ""] = nameField.exec(messages.toString("latin1", at, end)) ?? [];
      if (name.length > 0 && name.length <= nameMax) names.add(name);
      if (names.size >= namesMax) return [...names];
    }
  }
  return [...names];
}

const nameField = /"name"\s{0,8}:\s{0,8}"([\w.:/-]{1,64})"/;

/** Returns where the last answer begins; below 0: there is none. */
function answerAt(messages: Buffer): number {
  const said = Math.max(...answerWords.map((word) => messages.lastIndexOf(word)));
  // Items that call tools stand by themselves: those of the last answer have as many results.
  let results = 0;
  let result = messages.lastIndexOf(resultWord);
  let item = messages.lastIndexOf(itemWord);
  while (item > said) {
    if (result > item) {
      results += 1;
      result = before(messages, resultWord, result);
      continue;
    }
    results -= 1;
    if (results <= 0) return item;
    item = before(messages, itemWord, item);
  }
  return said;
}

function before(bytes: Buffer, word: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(word, at - 1);
}
