/** What administrators paste as key or address is saved only if the relay can use it. */

import { expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import { basic, openGateway } from "./testing/channels.ts";

test("what was copied beside a key, and an address with a query, is refused", async () => {
  const { call, db, close } = await openGateway("sqlite");
  for (const [broken, rule] of [
    [{ key: "Bearer sk-1" }, "密钥前不要带 Authorization 或 Bearer"],
    [{ keys: ["sk-1", "bearer\tsk-2"] }, "密钥前不要带 Authorization 或 Bearer"],
    [{ key: "Authorization: Bearer sk-1" }, "密钥前不要带 Authorization 或 Bearer"],
    [{ key: '"sk-1"' }, "密钥两端有引号"],
    [{ key: "sk-1’" }, "密钥两端有引号"],
    [{ key: "sk-\u200b1" }, "密钥中含有看不见的字符"],
    [{ key: "sk-1\u00a02" }, "密钥中含有看不见的字符"],
    [{ key: "\u2060sk-1" }, "密钥中含有看不见的字符"],
    [
      { type: 41, other: "global", key: '{"client_email":"a","private_key":"k"}' },
      "JSON 密钥缺少字段 project_id",
    ],
    [
      { type: 41, other: "global", key: '{"project_id":"p","client_email":"a"}' },
      "JSON 密钥缺少字段 private_key",
    ],
    [{ base_url: "https://a.test/v1?api-version=3" }, "API 地址不能含有查询参数"],
    [
      { type: 3, base_url: "https://a.test/openai/deployments/d?api-version=2024-10-21" },
      "API 地址不能含有查询参数",
    ],
  ] as const) {
    await expect(call(contract.createChannel, { ...basic, ...broken })).rejects.toThrow(rule);
  }
  expect(await db.selectFrom("channels").selectAll().execute()).toEqual([]);
  for (const fine of [
    { key: " sk-1\ufeff " },
    { key: "app|secret|key" },
    { base_url: "https://a.test/v1/chat/completions" },
    { type: 8, base_url: "https://a.test/v1/chat/completions?api-version=3" },
    {
      type: 41,
      other: "global",
      key: '{"project_id":"p","client_email":"a@b.test","private_key":"k"}',
    },
  ]) {
    await call(contract.createChannel, { ...basic, ...fine });
  }
  await close();
});
