/** Rows of channels, for tests of their costs. */

import type { Db } from "#db/database.ts";

/** Adds a channel with these models, and returns its id. */
export async function addChannelRow(db: Db, models: string, mapping = ""): Promise<number> {
  const texts = {
    name: "",
    base_url: "",
    other: "",
    group: "",
    model_mapping: mapping,
    test_model: "",
  };
  const json = { status_code_mapping: "", param_override: "", setting: "", other_info: "" };
  const numbers = { type: 1, priority: 0, weight: 0, auto_ban: 1, created_time: 0, test_time: 0 };
  const more = { response_time: 0, balance: 0, balance_updated_time: 0, openai_organization: "" };
  const { id } = await db
    .insertInto("channels")
    .values({ ...texts, ...json, ...numbers, ...more, status: 1, models })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
