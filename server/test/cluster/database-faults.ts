/** What is done to the PostgreSQL server of several nodes: connections ended, deadlocks forced. */

import { type Cluster } from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";

/** Ends every connection of every node. */
export async function endConnections({ connectServer, url }: Cluster): Promise<void> {
  const server = await connectServer();
  await server.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like 'tollgate%'",
    [databaseOf(url())],
  );
  await server.end();
}

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

/**
 * How long a node's transaction waits before PostgreSQL looks for a deadlock: shorter than it waits
 * for a lock, so that each of them is broken as a deadlock, and as the node's.
 */
const foundAfter = "200ms";

/** Makes so many transactions of nodes end because PostgreSQL breaks a deadlock with them. */
export async function forceDeadlocks(cluster: Cluster, wanted: number): Promise<void> {
  const { connect, connectServer, query, url } = cluster;
  const server = await connectServer();
  await server.query(`alter database ${databaseOf(url())} set deadlock_timeout = '${foundAfter}'`);
  // The connections of the nodes take the setting when they are made anew.
  await endConnections(cluster);
  const count = async (): Promise<number> => {
    const [row] = await query<{ deadlocks: string }>(
      "select deadlocks from pg_stat_database where datname = current_database()",
    );
    return Number(row?.deadlocks);
  };
  const before = await count();
  const client = await connect();
  await client.query("set deadlock_timeout = '1min'; set lock_timeout = '3s'");
  await eventually(
    async () => {
      await lockAgainstOrder(client);
      return await count();
    },
    (now) => now - before >= wanted,
    { what: `${wanted} deadlocks`, maxMs: 120_000 },
  );
  await server.query(`alter database ${databaseOf(url())} reset deadlock_timeout`);
}

/**
 * Locks the balance with the largest id of those that hold something, waits until a transaction of a
 * node waits for it, which has locked the smaller ones by then, and asks for those.
 */
async function lockAgainstOrder(client: Awaited<ReturnType<Cluster["connect"]>>): Promise<void> {
  // These lock rows, and tell nothing of what the books have.
  const queryBooks = client.query.bind(client);
  await client.query("begin");
  const locked = await queryBooks<{ user_id: string }>(
    "select user_id from balances where held > 0 order by user_id desc limit 1 for update",
  );
  const largest = locked.rows[0]?.user_id ?? 0;
  for (let turn = 0; turn < 100; turn += 1) {
    const { rowCount } = await client.query(
      "select from pg_locks where not granted and locktype in ('transactionid', 'tuple')",
    );
    if (rowCount !== null && rowCount > 0) break;
    await Bun.sleep(5);
  }
  // The time limit of a lock that nobody gives back is an answer, too.
  await queryBooks(
    "select from balances where held > 0 and user_id < $1 order by user_id desc for update",
    [largest],
  ).catch(() => {});
  await client.query("rollback");
}
