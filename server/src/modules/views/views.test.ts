import { savedViewsMax } from "@tollgate/contract/endpoints/views.ts";
import { describe, expect, test } from "bun:test";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import * as contract from "@tollgate/contract/endpoints/views.ts";
import type { Caller } from "#http/handler.ts";
import { viewHandlers } from "./views.handlers.ts";
import { viewStore } from "./views.store.ts";

const person = { clientIp: "203.0.113.9", sessionId: null, requestId: "r" };
const root: Caller = { ...person, userId: 1, role: 100, username: "root" };
const alice: Caller = { ...person, userId: 7, role: 1, username: "alice" };
const bob: Caller = { ...person, userId: 8, role: 1, username: "bob" };

const view = { list: "logs", name: "Errors", search: { type: "5" }, columns: null } as const;

for (const dialect of testDialects) {
  describe(`saved views on ${dialect}`, () => {
    async function open() {
      const { db, close } = await openTestDatabase(dialect);
      const handlers = viewHandlers(bindStore(viewStore, db));
      const ask = async (endpoint: unknown, input: object, caller: Caller): Promise<unknown> =>
        await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
      const names = async (caller: Caller): Promise<string[]> => {
        const found = await ask(contract.listViews, { list: "logs" }, caller);
        const views = contract.listViews.output.parse(found);
        return views.map(({ name, shared }) => (shared ? `${name} (all)` : name));
      };
      return { ask, names, close };
    }

    test("a view is seen by its owner alone, and one that root shares by everybody", async () => {
      const { ask, names, close } = await open();
      await ask(contract.saveView, view, alice);
      await ask(contract.saveView, { ...view, name: "Dear", shared: true }, root);
      expect(await names(alice)).toEqual(["Dear (all)", "Errors"]);
      expect(await names(bob)).toEqual(["Dear (all)"]);
      await expect(ask(contract.saveView, { ...view, shared: true }, alice)).rejects.toThrow();
      await close();
    });

    test("a view of the same name is replaced; another's view is not removed", async () => {
      const { ask, names, close } = await open();
      const id = await ask(contract.saveView, view, alice);
      expect(await ask(contract.saveView, { ...view, search: {} }, alice)).toBe(id);
      const [found] = contract.listViews.output.parse(
        await ask(contract.listViews, { list: "logs" }, alice),
      );
      expect(found?.search).toEqual({});
      await expect(ask(contract.removeView, { id }, bob)).rejects.toThrow();
      await expect(ask(contract.removeView, { id }, root)).rejects.toThrow();
      await ask(contract.removeView, { id }, alice);
      expect(await names(alice)).toEqual([]);
      await close();
    });

    test("views are bounded", async () => {
      const { ask, names, close } = await open();
      for (let count = 0; count < savedViewsMax; count += 1) {
        await ask(contract.saveView, { ...view, name: `v${count}` }, alice);
      }
      await expect(ask(contract.saveView, view, alice)).rejects.toThrow();
      await ask(contract.saveView, { ...view, name: "v0" }, alice);
      expect(await names(alice)).toHaveLength(savedViewsMax);
      await close();
    });
  });
}
