import { expect, test } from "bun:test";
import { Client } from "pg";
import { createPostgresDatabase } from "./postgres.ts";

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test("no test sees another's rows, and the schema is made once for all of them", async () => {
  let prepared = 0;
  const prepare = async (url: string): Promise<void> => {
    prepared += 1;
    await query(url, "create table if not exists notes (id int)");
  };

  const [first, second] = await Promise.all([
    createPostgresDatabase(prepare),
    createPostgresDatabase(prepare),
  ]);
  await query(first.url, "insert into notes values (1)");

  expect(await query(second.url, "select * from notes")).toEqual([]);
  expect(prepared).toBeLessThan(2);
  await first.drop();
  await second.drop();
  await expect(query(first.url, "select 1")).rejects.toThrow("does not exist");
});
