/** Users, rank rules, changes of a user's quota, personal access tokens. */

import type { ConfiguredUsers } from "#modules/configuration/configuration.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { KeptAnswers } from "#modules/kept-answers/kept-answers.ts";
import type { Notifications } from "#modules/notifications/notifications.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import { accessTokenHandlers } from "./access-tokens.handlers.ts";
import { openConfiguredUsers } from "./configured-users.ts";
import { userHandlers } from "./users.handlers.ts";
import type { Transcripts } from "#modules/transcripts/transcripts.ts";
import type { UserStore } from "./users.store.ts";
import { type Users, userView } from "./users.ts";

/** Length of an access token in characters: 190 random bits. */
const accessTokenLength = 32;

type Needs = {
  readonly keptAnswers: KeptAnswers;
  readonly notifications: Notifications;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
  readonly transcripts: Transcripts;
};

export const usersModule = defineModule({
  needs: ["keptAnswers", "notifications", "passwords", "secondFactor", "sessions", "transcripts"],
  open(ports: Given<UserStore, Needs>) {
    const { store, options, secrets, snapshot, random, clock, needs } = ports;
    const { now } = clock;
    const face: Users & { readonly configured: ConfiguredUsers } = {
      configured: openConfiguredUsers({ ...ports, passwords: needs.passwords }),
      async readSpending(userId) {
        const { quota, used_quota } = await store.readSelf(userId);
        return { remain: quota, used: used_quota };
      },
    };
    return {
      handlers: [
        ...accessTokenHandlers({
          store,
          secrets,
          newAccessToken: () => random.text(accessTokenLength),
          now,
        }),
        ...userHandlers({
          ...ports,
          ...needs,
          readOption: options.read,
          readSettingText: needs.notifications.readSettingText,
          listGroups: () => Object.keys(snapshot.prices.list.GroupRatio),
          signedInLately: needs.secondFactor.signedInLately,
          now,
        }),
      ],
      snapshot: {
        async loadUsers(wanted: readonly number[]) {
          const rows = await store.loadUsers(wanted);
          const removed = rows.filter(({ DeletedAt }) => DeletedAt !== null);
          // Not awaited: the relay must not wait for it, and a job repeats it.
          const ids = removed.map(({ id }) => id);
          void needs.transcripts.forgetUsers(ids).catch(() => {});
          void needs.keptAnswers.forgetUsers(ids).catch(() => {});
          return rows.map(userView);
        },
        loadUsersAfter: async (after: number) => (await store.loadUsersAfter(after)).map(userView),
      },
      face,
    };
  },
});
