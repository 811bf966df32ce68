/**
 * The users who call while the gateway is killed: three with much quota and one with little. Every
 * call of a model costs the same; the amounts below were computed by hand.
 */

import type { Dialect } from "#db/dialect.ts";
import { addToken, addUser, type ConsoleClient } from "#test/console.ts";
import {
  type Installation,
  openInstallation,
  type PricedModel,
  type Spender,
} from "./installation.ts";
import type { Caller } from "./load.ts";

/**
 * Streams of 0.7 to 1.6 s, so that calls end at all times. Each costs (100 + 20 × 4) × 2.5 = 450
 * units.
 */
const streamed: readonly PricedModel[] = [35, 50, 65, 80].map((eventDelayMs) => ({
  name: `crash-streamed-${eventDelayMs}`,
  script: { promptTokens: 100, events: 20, eventDelayMs },
  ratio: 2.5,
  completionRatio: 4,
}));
const streamedCharge = 450;

/** Answers that take 0.5 to 1.4 s. Each costs (40 + 30 × 3) × 1.5 = 195 units. */
const plain: readonly PricedModel[] = [15, 25, 35, 45].map((eventDelayMs) => ({
  name: `crash-plain-${eventDelayMs}`,
  script: { promptTokens: 40, events: 30, eventDelayMs },
  ratio: 1.5,
  completionRatio: 3,
}));
const plainCharge = 195;

/** An answer that takes 0.4 s. Its price is fixed, so the hold is exactly the charge. */
const fixed: PricedModel = {
  name: "crash-fixed",
  script: { events: 10, eventDelayMs: 40 },
  perCall: 1_000,
};
export const fixedCharge = 1_000;

/** A model whose price is set to the poor user's whole balance before each use. */
export const wholeBalanceModel = "crash-whole-balance";

const richCount = 3;
const callersPerRich = 24;
const callersOfPoor = 16;

const richQuota = 10_000_000_000;
/** Quota of each token, far more than it will spend. */
export const granted = 1_000_000_000;
/** How many calls the poor user can pay for at the start of a round. */
export const poorCalls = 8;

type CrashUser = { readonly client: ConsoleClient; readonly opening: number };

export type CrashScene = {
  readonly installation: Installation;
  /** All users; the last one has little quota. */
  readonly users: readonly CrashUser[];
  readonly poor: CrashUser;
  /** A token of the poor user without a limit of its own. */
  readonly poorSpender: Spender;
  readonly callers: readonly Caller[];
};

export async function openCrashScene(dialect: Dialect): Promise<CrashScene> {
  const whole: PricedModel = { name: wholeBalanceModel, script: {}, perCall: 1 };
  const installation = await openInstallation(dialect, {
    models: [...streamed, ...plain, fixed, whole],
  });
  const { root, origin } = installation;
  const users: CrashUser[] = [];
  const callers: Caller[] = [];
  const addUserWith = async (opening: number): Promise<CrashUser> => {
    const user = { client: await addUser(root, origin, opening), opening };
    users.push(user);
    return user;
  };
  for (let index = 0; index < richCount; index += 1) {
    const { client } = await addUserWith(richQuota);
    const added = await addCallers(client, `rich${index}`, callersPerRich, (stream) =>
      stream
        ? { models: streamed, charge: streamedCharge }
        : { models: plain, charge: plainCharge },
    );
    callers.push(...added);
  }
  const poor = await addUserWith(poorCalls * fixedCharge);
  const price = { models: [fixed], charge: fixedCharge };
  callers.push(...(await addCallers(poor.client, "poor", callersOfPoor, () => price)));
  const { id, key } = await addToken(poor.client);
  const poorSpender = { client: poor.client, tokenId: id, key };
  return { installation, users, poor, poorSpender, callers };
}

type Priced = { readonly models: readonly PricedModel[]; readonly charge: number };

/** Adds callers, each with its own token. Every second one asks for streams. */
async function addCallers(
  client: ConsoleClient,
  prefix: string,
  count: number,
  pricedOf: (stream: boolean) => Priced,
): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) {
    const stream = index % 2 === 0;
    const { models, charge } = pricedOf(stream);
    const model = models[Math.floor(index / 2) % models.length];
    if (model === undefined) throw new Error("no model");
    const name = `${prefix}-${index}`;
    const { id, key } = await addToken(client, {
      name,
      unlimited_quota: false,
      remain_quota: granted,
    });
    callers.push({ name, userId: client.userId, tokenId: id, key, stream, model, charge });
  }
  return callers;
}
