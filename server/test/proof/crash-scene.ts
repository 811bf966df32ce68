/**
 * Who calls while the gateway is killed: three users with plenty and one with little. Every call of
 * a model costs the same, and the amounts below were computed by hand.
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

/** 1.5 s; (100 + 20 × 4) × 2.5 = 450 units. */
const streamed: PricedModel = {
  name: "crash-streamed",
  script: { promptTokens: 100, events: 20, eventDelayMs: 75 },
  ratio: 2.5,
  completionRatio: 4,
};
const streamedCharge = 450;

/** 0.9 s; (40 + 30 × 3) × 1.5 = 195 units. */
const plain: PricedModel = {
  name: "crash-plain",
  script: { promptTokens: 40, events: 30, eventDelayMs: 30 },
  ratio: 1.5,
  completionRatio: 3,
};
const plainCharge = 195;

/** 0.4 s; a fixed price, so what is held is exactly what is charged. */
const fixed: PricedModel = {
  name: "crash-fixed",
  script: { events: 10, eventDelayMs: 40 },
  perCall: 1_000,
};
export const fixedCharge = 1_000;

/** Set before each use to all that the poor user has. */
export const wholeBalanceModel = "crash-whole-balance";

const richCount = 3;
const callersPerRich = 24;
const callersOfPoor = 16;
/** Callers whose calls count as in flight. */
export const richCallers = richCount * callersPerRich;

const richQuota = 10_000_000_000;
/** What each token may spend; far more than it will. */
export const granted = 1_000_000_000;
/** Calls the poor user can pay for at the start of a round. */
export const poorCalls = 8;

export type CrashUser = { readonly client: ConsoleClient; readonly opening: number };

export type CrashScene = {
  readonly installation: Installation;
  /** All users; the poor one last. */
  readonly users: readonly CrashUser[];
  readonly poor: CrashUser;
  /** An unlimited token of the poor user. */
  readonly poorSpender: Spender;
  readonly callers: readonly Caller[];
};

export async function openCrashScene(dialect: Dialect): Promise<CrashScene> {
  const whole: PricedModel = { name: wholeBalanceModel, script: {}, perCall: 1 };
  const installation = await openInstallation(dialect, {
    models: [streamed, plain, fixed, whole],
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
      stream ? { model: streamed, charge: streamedCharge } : { model: plain, charge: plainCharge },
    );
    callers.push(...added);
  }
  const poor = await addUserWith(poorCalls * fixedCharge);
  const price = { model: fixed, charge: fixedCharge };
  callers.push(...(await addCallers(poor.client, "poor", callersOfPoor, () => price)));
  const { id, key } = await addToken(poor.client);
  const poorSpender = { client: poor.client, tokenId: id, key };
  return { installation, users, poor, poorSpender, callers };
}

/** Every second one streams. */
async function addCallers(
  client: ConsoleClient,
  prefix: string,
  count: number,
  priced: (stream: boolean) => { readonly model: PricedModel; readonly charge: number },
): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let index = 0; index < count; index += 1) {
    const stream = index % 2 === 0;
    const name = `${prefix}-${index}`;
    const { id, key } = await addToken(client, {
      name,
      unlimited_quota: false,
      remain_quota: granted,
    });
    const { userId } = client;
    callers.push({ name, userId, tokenId: id, key, stream, ...priced(stream) });
  }
  return callers;
}
