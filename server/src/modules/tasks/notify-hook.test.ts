import { expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import { tellClient } from "./notify-hook.ts";
import { taskStore } from "./tasks.store.ts";
import { openFakeUpstream, taskChannel } from "./testing/fake-upstream.ts";
import { newTask } from "./testing/task-samples.ts";

/** The token of the task below: its pictures have the address of a proxy. */
const proxiedToken = {
  id: 1,
  user_id: 1,
  name: "",
  lookup: "lookup",
  sealed: "",
  hint: "",
  status: 1,
  group: "",
  created_time: 0,
  accessed_time: 0,
  expired_time: -1,
  unlimited_quota: 1,
  model_limits_enabled: 0,
  model_limits: "",
  allow_ips: "",
  deny_ips: "",
  chat_links: "",
  rate_limit_count: 0,
  rate_limit_seconds: 60,
  rate_limit_message: "",
  mj_backup_pool: 0,
  mj_mode: "",
  mj_proxy_method: "prefix",
  mj_proxy_address: "https://proxy.example/",
  budget_day: 0,
  budget_week: 0,
  budget_month: 0,
} as const;

test("a client is told of its task at its own address, with our id, the address of the token's picture proxy, and at most 100 at a time", async () => {
  const { db, close } = await openTestDatabase("sqlite");
  const store = bindStore(taskStore, db);
  const hook = "https://client.example/hook?x=1";
  await db.insertInto("tokens").values(proxiedToken).execute();
  await store.addTask(newTask({ task_id: "T1", notify_hook: hook }));
  const url = "https://pictures.example/1.png";
  await db
    .updateTable("tasks")
    .set({ status: "SUCCESS", upstream_id: "up-1", result_url: url, progress: 100 })
    .execute();
  const told = Promise.withResolvers<undefined>();
  const client = openFakeUpstream(() => {
    told.resolve(undefined);
    return {};
  });
  const deps = {
    store,
    findChannel: (id: number) => taskChannel({ id }),
    forwardsPictures: () => true,
    serverAddress: () => "https://tollgate.example",
  };
  const log = openLogger("silent");
  tellClient({ deps, outside: client.transport, log }, { task_id: "T1", notify_hook: hook });
  await told.promise;
  expect(client.asked).toMatchObject([
    {
      path: "/hook?x=1",
      body: {
        id: "T1",
        status: "SUCCESS",
        progress: "100%",
        imageUrl: "https://proxy.example/https://tollgate.example/mj/image/T1",
      },
    },
  ]);
  expect(JSON.stringify(client.asked)).not.toContain("up-1");

  // While 100 clients do not answer, no further one is told.
  const answers = Promise.withResolvers<undefined>();
  let asked = 0;
  const busy = {
    deps: {
      ...deps,
      store: {
        ...store,
        findTask: async () => {
          asked += 1;
          await answers.promise;
          return null;
        },
      },
    },
    outside: client.transport,
    log,
  };
  for (let count = 0; count < 150; count += 1) {
    tellClient(busy, { task_id: "T1", notify_hook: hook });
  }
  expect(asked).toBeLessThanOrEqual(100);
  answers.resolve(undefined);
  await close();
});
