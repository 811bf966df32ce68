/**
 * Sends several statements of a transaction to PostgreSQL without waiting for the answers in
 * between, so that they share one round trip: the server works through them in their order. While a
 * round trip lasts, the transaction holds its locks, and other nodes wait for them.
 */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  DummyDriver,
  type Dialect as KyselyDialect,
  type QueryResult,
  Transaction,
} from "kysely";
import type { Database, Db } from "./database.ts";

type Pipeline = {
  readonly dialect: KyselyDialect;
  /** Settles when the statement that begins the transaction is answered; null: it is. */
  begun: Promise<unknown> | null;
  /** Statements whose answers nobody has waited for when the transaction is committed. */
  unanswered: Promise<unknown>[];
};

/** The connections that take a statement while they have not answered an earlier one. */
const pipelines = new WeakMap<DatabaseConnection, Pipeline>();

/** The transactions in the form that `pipelined` returns. */
const pipelinedForms = new WeakSet<Db>();

const ignore = (): void => {};

/**
 * Lets the connections of a driver take statements before they have answered earlier ones.
 *
 * The first statements of a transaction follow the one that begins it without waiting for it. Only
 * if they read: without a transaction, a write would be committed by itself.
 *
 * @param isOn whether the connections can do that, asked when one is used.
 */
export function pipelineDriver(driver: Driver, dialect: KyselyDialect, isOn: () => boolean): void {
  const acquire = driver.acquireConnection.bind(driver);
  const begin = driver.beginTransaction.bind(driver);
  const commit = driver.commitTransaction.bind(driver);

  driver.acquireConnection = async (options) => {
    const connection = await acquire(options);
    if (isOn() && !pipelines.has(connection)) open(connection, dialect);
    return connection;
  };
  driver.beginTransaction = async (connection, settings) => {
    const begun = begin(connection, settings);
    const pipeline = pipelines.get(connection);
    if (pipeline === undefined) return await begun;
    pipeline.unanswered = [];
    pipeline.begun = begun;
    begun.then(() => (pipeline.begun = null), ignore);
  };
  driver.commitTransaction = async (connection) => {
    const { begun = null, unanswered = [] } = pipelines.get(connection) ?? {};
    const committed = commit(connection);
    committed.catch(ignore);
    // The error of a statement says more than that the server did not commit after it.
    await begun;
    for (const statement of unanswered) await statement;
    await committed;
  };
}

function open(connection: DatabaseConnection, dialect: KyselyDialect): void {
  const pipeline: Pipeline = { dialect, begun: null, unanswered: [] };
  const send = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const { begun } = pipeline;
    if (begun === null || isOfTransaction(query)) return await send<Row>(query);
    if (query.query.kind !== "SelectQueryNode") {
      await begun;
      return await send<Row>(query);
    }
    const [, result] = await Promise.all([begun, send<Row>(query)]);
    return result;
  };
  pipelines.set(connection, pipeline);
}

/** Whether the statement begins or ends a transaction. */
function isOfTransaction({ sql }: CompiledQuery): boolean {
  return /^(begin|start|commit|rollback)\b/.test(sql);
}

/**
 * Returns the transaction in a form whose statements are sent at once, in the order in which they
 * are executed, even if earlier ones are not answered. Each of them must be awaited. Returns `tx`
 * itself where statements cannot be sent that way: then they run one after the other.
 */
export async function pipelined(tx: Db): Promise<Db> {
  const { connection, pipeline } = await find(tx);
  if (pipeline === undefined) return tx;
  const { dialect } = pipeline;
  const form = new Transaction<Database>({
    // Inside a transaction nothing but the executor is used.
    config: { dialect },
    dialect,
    driver: new DummyDriver(),
    executor: tx.getExecutor().withConnectionProvider({
      provideConnection: async (consumer) => await consumer(connection),
    }),
  });
  pipelinedForms.add(form);
  return form;
}

/**
 * Runs statements in their order: together if `tx` is a form that `pipelined` returned, otherwise
 * one after the other until one fails. SQLite needs the latter: it may end the transaction when a
 * statement fails, and a further one would then be committed by itself.
 *
 * @param statements each must send its statement before it waits for anything.
 */
export async function inOrder(
  tx: Db,
  statements: readonly (() => Promise<unknown>)[],
): Promise<void> {
  if (pipelinedForms.has(tx)) await answersTo(statements.map((run) => run()));
  else for (const run of statements) await run();
}

/**
 * Waits for the answers to statements that were sent one behind the other. Fails with the error of
 * the first that failed, because the server refuses the others only on account of that one.
 */
export async function answersTo<Sent extends readonly Promise<unknown>[] | []>(
  sent: Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  for (const one of await Promise.allSettled(sent)) {
    if (one.status === "rejected") throw one.reason;
  }
  return await Promise.all(sent);
}

/**
 * Commits right behind the last statements of a transaction, before they are answered. If one of
 * them fails, the server does not commit, and the transaction fails with its error. So nothing can
 * be checked that only their answers say.
 *
 * @param tx a form that `pipelined` returned; for any other, waits for the statements.
 * @param statements all must have been sent.
 */
export async function commitBehind(tx: Db, statements: Promise<void>): Promise<void> {
  if (!pipelinedForms.has(tx)) return await statements;
  statements.catch(ignore);
  (await find(tx)).pipeline?.unanswered.push(statements);
}

async function find(
  tx: Db,
): Promise<{ readonly connection: DatabaseConnection; readonly pipeline: Pipeline | undefined }> {
  const connection = await tx.getExecutor().provideConnection(async (one) => one);
  return { connection, pipeline: pipelines.get(connection) };
}
