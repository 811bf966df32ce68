/**
 * Changes of balances by other things than calls: admins, payments and new users. All go through
 * `Money`.
 */

import { Refusal } from "#base/refusal.ts";
import type { Posted } from "#modules/ledger/ledger.ts";
import type { SimNode, SimUser, World } from "./world.ts";

/** How many users, with their tokens, may be created while a world runs. */
const newUserMax = 4;

/** Creates the users and tokens that exist before the first call. */
export function openAccounts(world: World): void {
  const { plan, random, store } = world;
  for (let count = plan.userCount; count > 0; count -= 1) {
    const user = createUser(world, random.between(0, 2 * plan.wealth));
    for (const { id, limited } of user.tokens) {
      if (id > 0) store.adjustToken(id, limited ? random.between(0, 2 * plan.wealth) : 0);
    }
    world.users.push(user);
  }
}

/** Creates the user in the store only, not in the judge. */
function createUser(world: World, gift: number): SimUser {
  const { random, store, plan } = world;
  const userId = world.newId();
  store.openUser(userId);
  if (gift > 0) store.post({ cause: `gift:${userId}`, userId, amount: gift });
  const tokens = [{ id: 0, limited: false, budget: 0 }];
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    const id = world.newId();
    const budget = id % 5 < 2 ? plan.priceMax * (1 + (id % 8)) : 0;
    const token = { id, limited: random.chance(0.6), budget };
    store.openToken(token.id, 0);
    tokens.push(token);
  }
  return { id: userId, tokens };
}

export function startAdmins(world: World): void {
  const { random, schedule, plan, nodes } = world;
  schedule.after(random.between(1, 2 * plan.adminMs), () => {
    if (world.closing) return;
    startAdmins(world);
    if (nodes.length === 0) return;
    changeSomething(world, random.pick(nodes)).catch((error: unknown) =>
      world.fail(`a change by an admin ended with ${String(error)}`),
    );
  });
}

async function changeSomething(world: World, node: SimNode): Promise<void> {
  const { random, users, plan } = world;
  if (random.chance(0.01) && users.length < plan.userCount + newUserMax) {
    await openUser(world, node);
  } else if (random.chance(0.2)) {
    await chargeAgain(world, node);
  } else if (random.chance(0.4)) {
    await moveToken(world, node);
  } else {
    await moveUser(world, node);
  }
}

async function openUser(world: World, node: SimNode): Promise<void> {
  const gift = world.random.between(0, world.plan.priceMax);
  await attempt(world, gift, async () => {
    const made = await node.write(() => {
      const user = createUser(world, gift);
      // Added before the answer arrives, because the user exists even if the answer is lost.
      world.users.push(user);
      return user;
    });
    node.holds.money.openedUser(made.id, gift);
    for (const { id } of made.tokens) if (id > 0) node.holds.money.openedToken(id, 0);
  });
}

/**
 * Draws the amount of a change: adds when the balance is low, because calls spend; otherwise
 * subtracts, down to 0 and a little below.
 */
function drawAmount({ random, plan }: World, present: number): number {
  return present < plan.wealth || random.chance(0.3)
    ? random.between(1, 2 * plan.wealth)
    : -random.between(1, present + 1);
}

async function moveUser(world: World, node: SimNode): Promise<void> {
  const { random, store } = world;
  const { id: userId } = random.pick(world.users);
  const amount = drawAmount(world, store.users.get(userId)?.balance ?? 0);
  const cause = `admin:${world.newId()}`;
  const post = async (): Promise<boolean> =>
    await attempt(world, amount, async () => {
      await node.holds.money.moveUser(userId, amount, async () => {
        await node.write(() => store.post({ cause, userId, amount }));
      });
    });
  const isDone = await post();
  // A payment provider may repeat its callback, above all when it got no answer. The payment must
  // count once.
  if (!random.chance(isDone ? 0.2 : 0.5)) return;
  const isDoneAgain = await post();
  world.check(!(isDone && isDoneAgain), `${cause} counted twice`);
}

async function moveToken(world: World, node: SimNode): Promise<void> {
  const { random, store } = world;
  const { id: tokenId, limited } = random.pick(random.pick(world.users).tokens);
  if (tokenId === 0 || !limited) return;
  const amount = drawAmount(world, store.tokens.get(tokenId)?.remain ?? 0);
  await attempt(world, amount, async () => {
    await node.holds.money.moveToken(tokenId, amount, async () => {
      await node.write(() => store.adjustToken(tokenId, amount));
    });
  });
}

/**
 * Charges calls of some users again: what a user has to pay more is taken only if it is free, and a
 * step that is sent again counts once.
 */
async function chargeAgain(world: World, node: SimNode): Promise<void> {
  const { random, store, users } = world;
  const changes = new Map<number, number>();
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    const { id } = random.pick(users);
    changes.set(id, drawAmount(world, store.users.get(id)?.balance ?? 0));
  }
  const wanted = new Map([...changes].map(([id, amount]) => [id, Math.max(0, 0 - amount)]));
  const step = world.newId();
  const causeOf = (userId: number): string => `rerate:${step}:${userId}`;
  const charge = async (): Promise<void> => {
    await node.holds.money.rechargeUsers(wanted, async (most) => {
      return await node.write(() => {
        const posted = new Map<number, Posted>();
        const isDone = store.entries.some(({ cause }) => cause.startsWith(`rerate:${step}:`));
        for (const [userId, amount] of isDone ? [] : changes) {
          const { balance = 0, held = 0 } = store.users.get(userId) ?? {};
          const free = Math.min(most.get(userId) ?? 0, balance - held);
          const moved = 0 - amount > free ? 0 : amount;
          if (moved !== 0) store.post({ cause: causeOf(userId), userId, amount: moved });
          posted.set(userId, { balance: balance + moved, moved, debt: 0, owed: 0 });
        }
        return { posted };
      });
    });
  };
  const isDone = await attempt(world, 1, charge);
  if (!isDone || random.chance(0.2)) await attempt(world, 1, charge);
}

/** Makes a change of money. @returns false when it failed, or when its result is unknown. */
async function attempt(
  world: World,
  amount: number,
  change: () => Promise<void>,
): Promise<boolean> {
  try {
    await change();
    world.note(amount);
    return true;
  } catch (error) {
    world.note(0);
    if (!(error instanceof Refusal)) return false;
    world.counts["refused withdrawal"] += 1;
    world.check(amount < 0, "what adds was refused");
    return false;
  }
}
