/**
 * Marks of devices whose users have signed in before. A mark opens nothing. It only keeps strangers
 * who send wrong passwords for a name from shutting out the owner of that name: attempts of a marked
 * device are counted by themselves.
 */

import { sameText, type Secrets } from "#base/secrets.ts";
import { deviceCookie } from "#http/cookie.ts";
import type { Caller } from "#http/handler.ts";

type DeviceMarks = {
  /**
   * Returns the id of the caller's device, if this user has signed in with it. Undefined: nothing
   * proves it.
   */
  find(caller: Pick<Caller, "deviceMarks">, userId: number): string | undefined;
  /** Returns the value of `Set-Cookie` that marks the caller's device for this user as well. */
  keep(caller: Pick<Caller, "deviceMarks">, userId: number): string;
};

type MarkDeps = {
  readonly secrets: Pick<Secrets, "lookup">;
  /** Returns a new id of a device. */
  readonly newDeviceId: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** How long a mark counts after the last sign-in with the device. */
const lastsMs = 180 * 24 * 3_600_000;

/** The most users that a device is marked for, the last one first. */
const usersMax = 5;

/** The kind of the keyed hash that signs a mark. */
const markKind = "device-mark";

/** User, id of the device, when the mark ends in Unix seconds, and the signature of these. */
const shape = /^(\d{1,15})\.([\w-]{1,64})\.(\d{1,12})\.([0-9a-f]{64})$/;

type Mark = { readonly userId: number; readonly deviceId: string; readonly text: string };

export function openDeviceMarks({ secrets, newDeviceId, now }: MarkDeps): DeviceMarks {
  const read = (text: string): Mark[] => {
    const [, userId = "", deviceId = "", end = "", signature = ""] = shape.exec(text) ?? [];
    const isOwn = sameText(secrets.lookup(markKind, `${userId}.${deviceId}.${end}`), signature);
    if (!isOwn || Number(end) * 1_000 <= now()) return [];
    return [{ userId: Number(userId), deviceId, text }];
  };
  const marksOf = ({ deviceMarks = "" }: Pick<Caller, "deviceMarks">): readonly Mark[] =>
    deviceMarks.split("~", usersMax).flatMap(read);
  const find = (marks: readonly Mark[], userId: number): string | undefined =>
    marks.find((mark) => mark.userId === userId)?.deviceId;
  return {
    find: (caller, userId) => find(marksOf(caller), userId),

    keep(caller, userId) {
      const known = marksOf(caller);
      const deviceId = find(known, userId) ?? newDeviceId();
      const facts = `${userId}.${deviceId}.${Math.floor((now() + lastsMs) / 1_000)}`;
      const own = `${facts}.${secrets.lookup(markKind, facts)}`;
      const others = known.filter((mark) => mark.userId !== userId).map(({ text }) => text);
      return deviceCookie.keep([own, ...others].slice(0, usersMax).join("~"), lastsMs);
    },
  };
}
