/** The child of `growth.test.ts`: measures the subjects of one group, and prints a line for each family. */

import { writeSync } from "node:fs";
import { groups, isGroup } from "./groups.ts";
import { judge } from "./measure.ts";

const [name = "", kind = "", only = ""] = process.argv.slice(2);
if (!isGroup(name)) throw new Error(`no group ${name}`);
const { subjects, sizes } = groups[name];
const isLong = kind === "long";
const given = { ...sizes, isLong };

/** Written at once, also if what follows never ends. */
const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);

for (const subject of (await subjects()).filter((each) => each.name.includes(only))) {
  for (const family of subject.families.filter((each) => isLong || each.isLong !== true)) {
    // If this family never ends, the parent knows which one it was.
    say({ begun: `${subject.name}: ${family.name}` });
    try {
      say(await judge(subject, family, given));
    } catch (error) {
      const fault = String(error).slice(0, 300);
      say({ subject: subject.name, family: family.name, growth: 0, ms: 0, bytes: 0, fault });
    }
  }
}
process.exit(0);
