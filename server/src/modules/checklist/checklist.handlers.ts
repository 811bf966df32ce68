import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import * as contract from "@tollgate/contract/endpoints/checklist.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Ports } from "#modules/module.ts";
import type { Options } from "#modules/options/options.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { judgeSetup } from "./checklist.ts";
import type { ChecklistStore } from "./checklist.store.ts";

type ChecklistDeps = {
  readonly store: ChecklistStore;
  readonly readOption: Options["read"];
  /** The price list in force. */
  readonly prices: () => PriceList;
  readonly hasSecondFactor: SecondFactor["isSetUp"];
  readonly program: Pick<Ports["program"], "dialect" | "secretKeyFile">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** The console API of the start page. */
export function checklistHandlers(deps: ChecklistDeps): Handler[] {
  const { store, now } = deps;
  return [
    handle(contract.readSetupChecklist, async (_, { userId }) => await readSetup(deps, userId)),

    handle(contract.markSetupChecklist, async ({ name, marked }, caller) => {
      await store.markSetup({ name, marked, actor: actorOf(caller), nowMs: now() });
    }),

    handle(contract.readUserChecklist, async (_, { userId }) => await store.readUser(userId)),

    handle(contract.markUserChecklist, async ({ name, marked }, caller) => {
      await store.markUser({ name, marked, actor: actorOf(caller), nowMs: now() });
    }),
  ];
}

async function readSetup(deps: ChecklistDeps, rootId: number): Promise<contract.SetupChecklist> {
  const { readOption, program } = deps;
  const { models, marks, ...stored } = await deps.store.readSetup(rootId);
  const prices = deps.prices();
  const hasSender = readOption("SMTPAccount") !== "" || readOption("SMTPFrom") !== "";
  const facts: contract.SetupFacts = {
    ...stored,
    prices: {
      models: models.length,
      unpriced: models.filter((model) => !hasPrice(prices, model)).length,
    },
    users: { open: readOption("RegisterEnabled"), quota: readOption("QuotaForNewUser") },
    address: { server_address: readOption("ServerAddress") },
    mail: { server: hasSender ? readOption("SMTPServer") : "" },
    second_factor: { on: await deps.hasSecondFactor(rootId) },
    backup: { dialect: program.dialect, key_file: program.secretKeyFile },
  };
  return judgeSetup(facts, marks);
}
