/** Lists the conversations of calls: those first in which one tool is called over and over. */

import {
  facetValuesMax,
  type LogFacetValues,
  loopedCallsMin,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { chargedNow, type LogFilter, matching } from "#modules/logs/log-filter.repo.ts";
import type { ChartTime } from "./bars.ts";

/** The most of the newest turns that are searched. */
const turnsMax = 100_000;

type Run = { calls: number; quota: number; readonly tools: Map<string, number> };

/**
 * Reads the conversations. The name of one in which the results of a tool have come more than
 * `loopedCallsMin` times is that tool and how often; of others it is empty.
 *
 * @param prefix the beginning of the tool's name; empty: all conversations.
 */
export async function readRuns(
  db: Db,
  filter: LogFilter,
  { start, end }: ChartTime,
  prefix: string,
): Promise<LogFacetValues> {
  const turns = matching(db, { ...filter, start, end: end - 1 })
    .where(sql<SqlBool>`conversation_id <> 0`)
    .where("reversed", "=", 0)
    .select(["conversation_id", "tool_names", chargedNow.as("quota")])
    .orderBy("created_at", "desc")
    .limit(turnsMax);
  const rows = await db
    .selectFrom(turns.as("turns"))
    .select(["conversation_id", "tool_names"])
    .select(({ fn }) => fn.countAll<number>().as("calls"))
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .groupBy(["conversation_id", "tool_names"])
    .execute();
  const runs = new Map<number, Run>();
  for (const { conversation_id, tool_names, calls, quota } of rows) {
    const run = runs.get(conversation_id) ?? { calls: 0, quota: 0, tools: new Map() };
    run.calls += calls;
    run.quota += quota;
    for (const tool of namesIn(tool_names)) run.tools.set(tool, (run.tools.get(tool) ?? 0) + calls);
    runs.set(conversation_id, run);
  }
  const found = [...runs]
    .map(([id, run]) => ({ id, ...run, most: mostCalled(run) }))
    .filter(({ most }) => prefix === "" || most.tool.toLowerCase().startsWith(prefix.toLowerCase()))
    .toSorted((a, b) => b.most.count - a.most.count || b.calls - a.calls || a.id - b.id);
  const values = found.slice(0, facetValuesMax).map(({ id, calls, quota, most }) => ({
    value: String(id),
    name: most.count > 0 ? `${most.tool} × ${most.count}` : "",
    calls,
    quota,
  }));
  return { values, more: found.length - values.length };
}

/** The tool that a run has called most, if that is often enough; otherwise none. */
function mostCalled({ tools }: Run): { readonly tool: string; readonly count: number } {
  let most = { tool: "", count: 0 };
  for (const [tool, count] of tools) {
    if (count > loopedCallsMin && count > most.count) most = { tool, count };
  }
  return most;
}

/** Safe cast: the relay has written the list. */
function namesIn(text: string): readonly string[] {
  return text === "" ? [] : (JSON.parse(text) as readonly string[]);
}
