import { role } from "@tollgate/contract/endpoints/users.ts";
import * as contract from "@tollgate/contract/endpoints/views.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { ViewStore } from "./views.store.ts";

/** Handles the requests of the console API for saved views. */
export function viewHandlers(store: ViewStore): Handler[] {
  return [
    handle(contract.listViews, ({ list }, { userId }) => store.listViews(userId, list)),

    handle(contract.saveView, async (input, caller) => {
      if (input.shared && caller.role < role.enum.root) {
        throw new Refusal("not-allowed", "只有超级管理员可以为所有人保存视图");
      }
      const id = await store.saveView(caller.userId, input);
      if (id === null) throw new Refusal("invalid-input", "视图过多，请先删除一些");
      return id;
    }),

    handle(contract.removeView, async ({ id }, caller) => {
      const by = { userId: caller.userId, isRoot: caller.role >= role.enum.root };
      if (!(await store.removeView(id, by))) throw new Refusal("not-found", "视图不存在");
    }),
  ];
}
