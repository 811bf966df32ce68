/**
 * Waits until the books have everything that calls were told. The console waits for that by itself;
 * whoever reads the tables of a running gateway calls this first.
 */

/** How long the books may be behind, on a machine that is very busy. */
const appliedMaxMs = 60_000;

/** @param unapplied counts what the journal has and the books have not. */
async function until(unapplied: () => Promise<number>): Promise<void> {
  const endMs = Date.now() + appliedMaxMs;
  for (;;) {
    const left = await unapplied();
    if (left === 0) return;
    if (Date.now() > endMs) throw new Error(`${left} calls are not in the books`);
    await Bun.sleep(20);
  }
}

/** Waits for one gateway, by its metric. */
export async function untilApplied(origin: string): Promise<void> {
  await until(async () => {
    const text = await (await fetch(`${origin}/metrics`)).text();
    return Number(/^tollgate_ledger_unapplied (\d+)$/m.exec(text)?.[1] ?? 0);
  });
}

/** Waits for all nodes of a database, and for what those that have ended have left. */
export async function untilAllApplied(
  query: (text: string) => Promise<readonly { readonly count: number }[]>,
): Promise<void> {
  await until(
    async () => (await query("select count(*)::int as count from journal"))[0]?.count ?? 0,
  );
}
