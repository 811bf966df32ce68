import { defineStore } from "#db/store.ts";
import { verifyAudit } from "./audit.ts";

export const auditStore = defineStore({ reads: { verifyAudit }, writes: {} });
