/** What runs beside the database for codes that prove a mailbox. */

import { defineStore, type RemoteStore } from "#db/store.ts";
import { isAddressTaken } from "#modules/identities/identities.ts";
import { saveCode } from "./mail-codes.ts";

export const mailCodeStore = defineStore({ reads: { isAddressTaken }, writes: { saveCode } });

export type MailCodeStore = RemoteStore<typeof mailCodeStore>;
