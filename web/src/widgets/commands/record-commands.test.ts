import { expect, test } from "bun:test";
import { commandsOf } from "./record-commands.ts";

test("the commands of a record are the row's actions that it has, without editing", () => {
  const done: string[] = [];
  const commands = commandsOf({ id: 3, on: true }, [
    { key: "edit", label: "Edit", onSelect: () => done.push("edit") },
    { key: "enable", label: "Enable", shown: ({ on }) => !on, onSelect: () => done.push("enable") },
    { key: "test", label: "Test", disabled: () => "not testable", onSelect: () => undefined },
    { key: "disable", label: "Disable", onSelect: ({ id }) => done.push(`disable ${id}`) },
  ]);
  expect(commands.map(({ key }) => key)).toEqual(["disable"]);
  commands[0]?.onSelect();
  expect(done).toEqual(["disable 3"]);
});
